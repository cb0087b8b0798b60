const { createRequire } = require('node:module');

const NOT_COUNTED = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions']);
let commands = {};

/** Counts the database commands of this process, by name and collection. */
exports.countCommands = () => {
  // The service's own driver, which may be of another checkout than this file.
  const mongoose = createRequire(process.argv[1]).resolve('mongoose');
  const { Connection } = createRequire(mongoose)('mongodb/lib/cmap/connection');
  const { command: execute } = Connection.prototype;
  Connection.prototype.command = function (namespace, command, ...rest) {
    const [name] = Object.keys(command);
    if (!NOT_COUNTED.has(name)) {
      const collection = name === 'getMore' ? command.collection : command[name];
      const key = `${name} ${collection}`;
      commands[key] = (commands[key] ?? 0) + 1;
    }
    return execute.call(this, namespace, command, ...rest);
  };
};

/** Returns the commands since the last call. */
exports.takeCommands = () => {
  const taken = commands;
  commands = {};
  return taken;
};
