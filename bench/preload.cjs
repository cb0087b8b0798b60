// Loaded into each process of the service before dist/main.js. Replaces the stream transport with one that does nothing,
// unless there are phones, and serves statistics of the process to the bench.
const { Session } = require('node:inspector/promises');
const { createRequire } = require('node:module');
const { Server } = require('node:net');
const { answerRequests } = require('./preload/answer-requests.cjs');
const { countCommands, takeCommands } = require('./preload/count-commands.cjs');
const { noteOffers, takeOffers } = require('./preload/note-offers.cjs');
const { measureTurns } = require('../test/abuse/routes/main-thread-turns.cjs');
// Of the build that runs, which may be of another checkout than this file.
const { StreamTransport } = createRequire(process.argv[1])('./push/stream/stream-transport.js');
const { PushClient } = createRequire(process.argv[1])('./push/push-client.service.js');

if (process.env.BENCH_COMMANDS === '1') countCommands();
if (process.env.BENCH_OFFERS === '1') noteOffers(PushClient);
const takeTurns = process.env.BENCH_TURNS === '1' ? measureTurns() : () => undefined;
// What is done before the process listens delays nobody.
const { listen } = Server.prototype;
Server.prototype.listen = function (...options) {
  this.once('listening', takeTurns);
  return listen.apply(this, options);
};

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

let profilerSession;

const HANDLERS = {
  '/handed': () => handedAt.length,
  '/take-handed': () => {
    const taken = handedAt;
    handedAt = [];
    return taken;
  },
  '/take-commands': takeCommands,
  '/take-offers': takeOffers,
  '/take-turns': takeTurns,
  '/memory': async () => {
    // Unlike `gc()`, it also returns the free pages of the heap to the system. One collection compacts a part of the heap.
    const session = connectInspector();
    let before;
    let size = Infinity;
    do {
      before = size;
      await session.post('HeapProfiler.collectGarbage');
      size = process.memoryUsage().rss;
    } while (size < before * 0.99);
    session.disconnect();
    return size;
  },
  '/start-profile': async () => {
    profilerSession = connectInspector();
    await profilerSession.post('Profiler.enable');
    await profilerSession.post('Profiler.setSamplingInterval', { interval: 500 });
    await profilerSession.post('Profiler.start');
    return true;
  },
  '/stop-profile': async () => {
    const { profile } = await profilerSession.post('Profiler.stop');
    profilerSession.disconnect();
    return profile;
  },
};

function connectInspector() {
  const session = new Session();
  session.connect();
  return session;
}

answerRequests(HANDLERS);
