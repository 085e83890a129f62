"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");
const { serverCommand, serverSettings } = require("./settings");

const SECTION = "tactful";
const DOCS = "https://pypi.org/project/tactful/";

/** @type {LanguageClient | undefined} */
let client;

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("tactful.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration(`${SECTION}.command`)) {
        await stop();
        await start();
      } else if (event.affectsConfiguration(SECTION) && client?.isRunning()) {
        await client.sendNotification("workspace/didChangeConfiguration", {
          settings: { [SECTION]: current() },
        });
      }
    }),
  );
  await start();
}

async function deactivate() {
  await stop();
}

function configuration() {
  return vscode.workspace.getConfiguration(SECTION);
}

function current() {
  return serverSettings(configuration());
}

async function start() {
  try {
    const { command, args } = serverCommand(configuration().get("command"));
    const run = { command, args, transport: TransportKind.stdio };
    const languages = configuration().get("languages");
    client = new LanguageClient(
      SECTION,
      "Tactful",
      { run, debug: run },
      {
        documentSelector: languages.flatMap((language) => [
          { scheme: "file", language },
          { scheme: "untitled", language },
        ]),
        initializationOptions: current(),
      },
    );
    await client.start();
  } catch (error) {
    client = undefined;
    await explain(error);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.dispose();
}

async function explain(error) {
  const how = "How to install";
  const chosen = await vscode.window.showErrorMessage(
    `Tactful could not be started: ${error.message} ` +
      'It needs Python and: pip install "tactful[lsp,research]". ' +
      'Where that is not on your path, set "tactful.command".',
    how,
  );
  if (chosen === how) {
    await vscode.env.openExternal(vscode.Uri.parse(DOCS));
  }
}

module.exports = { activate, deactivate };
