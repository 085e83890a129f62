"use strict";

/** Names of the settings in VS Code -> names that the language server knows. */
const NAMES = {
  model: "model",
  language: "lang",
  least: "least",
  only: "only",
  thresholds: "thresholds",
  terms: "terms",
  quotes: "quotes",
  frames: "frames",
  explanations: "explanations",
  reportLanguage: "report_lang",
  rewriteEndpoint: "rewrite_endpoint",
  rewriteChatModel: "rewrite_chat_model",
  rewriteKeyVariable: "rewrite_key_variable",
  delay: "delay",
  docs: "docs",
};

/**
 * Return the settings for the server. What is not set is null, so that the project's tactful.toml
 * decides about it.
 *
 * @param {{get: (name: string) => unknown}} configuration
 */
function serverSettings(configuration) {
  const found = {};
  for (const [name, known] of Object.entries(NAMES)) {
    const value = configuration.get(name);
    found[known] = isSet(value) ? value : null;
  }
  return found;
}

/** An empty list or object is not set: VS Code has no other default for them. */
function isSet(value) {
  return typeof value === "object" && value !== null
    ? Object.keys(value).length > 0
    : value !== undefined;
}

/**
 * Return the command and its arguments; throw an error of one sentence if the setting is invalid.
 *
 * @param {unknown} value
 */
function serverCommand(value) {
  const isCommand =
    Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "string" && part);
  if (!isCommand) {
    throw new Error(
      'The setting "tactful.command" must be a list of texts, such as ["tactful", "lsp"].',
    );
  }
  const [command, ...args] = value;
  return { command, args };
}

module.exports = { NAMES, serverCommand, serverSettings };
