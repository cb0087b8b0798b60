// Loaded into each process of the service before dist/main.js: phones are pushed to by a transport that does nothing,
// and the bench can ask what the process did. Nothing else is changed.
const { createServer } = require('node:http');
const { Session } = require('node:inspector/promises');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { StreamTransport } = require('../dist/push/stream/stream-transport.js');

/** When each message was handed to the transport, in epoch milliseconds. */
let handedAt = [];

StreamTransport.prototype.push = (_target, commands) => {
  const now = Date.now();
  for (let count = commands.length; count > 0; count -= 1) handedAt.push(now);
  return Promise.resolve(commands.map(() => ({ outcome: 'accepted' })));
};

const NOT_COUNTED = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions']);
let commands = {};

if (process.env.BENCH_COMMANDS === '1') {
  const { Connection } = createRequire(require.resolve('mongoose'))('mongodb/lib/cmap/connection');
  const { command: carryOut } = Connection.prototype;
  Connection.prototype.command = function (namespace, command, ...rest) {
    const [name] = Object.keys(command);
    if (!NOT_COUNTED.has(name)) {
      const collection = name === 'getMore' ? command.collection : command[name];
      const key = `${name} ${collection}`;
      commands[key] = (commands[key] ?? 0) + 1;
    }
    return carryOut.call(this, namespace, command, ...rest);
  };
}

let session;

const ANSWERS = {
  '/handed': () => handedAt.length,
  '/take-handed': () => {
    const taken = handedAt;
    handedAt = [];
    return taken;
  },
  '/take-commands': () => {
    const taken = commands;
    commands = {};
    return taken;
  },
  '/start-profile': async () => {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 500 });
    await session.post('Profiler.start');
    return true;
  },
  '/stop-profile': async () => {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    return profile;
  },
};

const server = createServer((request, response) => {
  Promise.resolve(ANSWERS[request.url]?.()).then(
    (answer) => response.end(JSON.stringify(answer ?? null)),
    (failure) => response.writeHead(500).end(String(failure)),
  );
});
server.listen(join(process.cwd(), `${process.pid}.sock`));
server.unref();
