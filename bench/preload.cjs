// Loaded into each process of the service before dist/main.js. Replaces the stream transport with one that does nothing,
// unless there are phones, and serves statistics of the process to the bench.
const { Session } = require('node:inspector/promises');
const { createRequire } = require('node:module');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { answerRequests } = require('./preload/answer-requests.cjs');
const { countCommands, takeCommands } = require('./preload/count-commands.cjs');
// Of the build that runs, which may be of another checkout than this file.
const { StreamTransport } = createRequire(process.argv[1])('./push/stream/stream-transport.js');
const { PushClient } = createRequire(process.argv[1])('./push/push-client.service.js');

if (process.env.BENCH_COMMANDS === '1') countCommands();

/** When each message was handed to the transport, in epoch milliseconds. */
let handedAt = [];

if (process.env.BENCH_PHONES !== '1') {
  // Messages are pushed to it, not offered.
  PushClient.prototype.usesOffers = () => false;
  StreamTransport.prototype.push = (_target, commands) => {
    const now = Date.now();
    for (let count = commands.length; count > 0; count -= 1) handedAt.push(now);
    return Promise.resolve(commands.map(() => ({ outcome: 'accepted' })));
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

let session;

const HANDLERS = {
  '/handed': () => handedAt.length,
  '/take-handed': () => {
    const taken = handedAt;
    handedAt = [];
    return taken;
  },
  '/take-commands': takeCommands,
  '/memory': () => {
    collectGarbage();
    const { rss, heapTotal, heapUsed } = process.memoryUsage();
    // Free pages of the heap depend on how fast the work before came, and vary by 40 MB.
    return rss - (heapTotal - heapUsed);
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

answerRequests(HANDLERS);
