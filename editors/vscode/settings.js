"use strict";

/** Names of the settings in VS Code -> names that the language server knows. */
const NAMES = {
  model: "model",
  language: "lang",
  least: "least",
  only: "only",
  reportLanguage: "report_lang",
  delay: "delay",
};

/**
 * Return what the server is told. What is not set is null, so that the project's tactful.toml
 * decides about it.
 *
 * @param {{get: (name: string) => unknown}} configuration
 */
function serverSettings(configuration) {
  const found = {};
  for (const [name, known] of Object.entries(NAMES)) {
    const value = configuration.get(name);
    const isSet = Array.isArray(value) ? value.length > 0 : value !== undefined;
    found[known] = isSet ? value : null;
  }
  return found;
}

/**
 * Return the command and its arguments; a setting that is none is told in one sentence.
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
