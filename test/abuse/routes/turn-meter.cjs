// Loaded into the service before dist/main.js. Measures the CPU time of the main thread between turns of a short timer: a
// block of the event loop lets the timer fire late, whatever else runs on the machine. `GET /` on its port returns the figures since
// the last `GET /` and begins again.
const { openSync, readSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');

const INTERVAL_MS = 5;
const buffer = Buffer.alloc(64);
const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');

/** Linux updates it every few milliseconds. */
const threadMs = () => {
  const length = readSync(file, buffer, 0, buffer.length, 0);
  return Number(buffer.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
};
const processMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};

let lastTurn = threadMs();
let longestMs = 0;
let processAtStart = processMs();

const endTurn = () => {
  const now = threadMs();
  longestMs = Math.max(longestMs, now - lastTurn);
  lastTurn = now;
};
setInterval(endTurn, INTERVAL_MS).unref();

const server = createServer((_, response) => {
  endTurn();
  const now = processMs();
  response.end(JSON.stringify({ longestBlockMs: longestMs, cpuMs: now - processAtStart }));
  longestMs = 0;
  processAtStart = now;
});
server.listen(0, '127.0.0.1', () => {
  writeFileSync(process.env.TURN_METER_FILE, String(server.address().port));
});
server.unref();
