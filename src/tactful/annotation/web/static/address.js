// Addresses within the project: a server of several projects has each at an address of its own.

const { root = '' } = document.documentElement.dataset;

/** The address of a path such as `/work` on this server. */
export const address = (path) => root + path;
