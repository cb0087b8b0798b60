const { openSync, readSync } = require('node:fs');

const INTERVAL_MS = 5;
const buffer = Buffer.alloc(64);

/** The CPU time of this process in milliseconds. */
const processMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};

/**
 * Measures the CPU time of the main thread between turns of a short timer: a block of the event loop lets the timer fire late,
 * whatever else runs on the machine.
 * @returns returns the figures since its last call.
 */
exports.measureTurns = () => {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  // Linux updates it every few milliseconds.
  const threadMs = () => {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return Number(buffer.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
  };
  let lastTurn = threadMs();
  let longestBlockMs = 0;
  let processAtStart = processMs();
  const endTurn = () => {
    const now = threadMs();
    longestBlockMs = Math.max(longestBlockMs, now - lastTurn);
    lastTurn = now;
  };
  setInterval(endTurn, INTERVAL_MS).unref();
  return () => {
    endTurn();
    const now = processMs();
    const figures = { longestBlockMs, cpuMs: now - processAtStart };
    longestBlockMs = 0;
    processAtStart = now;
    return figures;
  };
};
