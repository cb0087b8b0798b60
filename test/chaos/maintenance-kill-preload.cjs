// Loaded into each process of the service before dist/main.js. Kills schedulers between the steps of maintenance.
const { createRequire } = require('node:module');

// The build that runs, which may be that of another checkout.
const load = createRequire(process.argv[1]);
const { Leases } = load('./infrastructure/mongo/leases.service.js');
const { MessageRetentionRepository } = load('./maintenance/retention/message-retention.repository.js');
const { TotalsRepository } = load('./totals/totals.repository.js');

/** Of each step that retention runs for every batch. */
const RETENTION_RATE = Number(process.env.CHAOS_RETENTION_KILL_RATE);

const STEPS = [
  [Leases, ['acquire', 'extend'], 0.01],
  [
    MessageRetentionRepository,
    ['hideBatches', 'removeMessagesOf', 'removeEmpty', 'removeUnbatched'],
    RETENTION_RATE,
  ],
  [TotalsRepository, ['addLastPeriod', 'countAll', 'closePeriod'], 0.02],
];

function maybeKill(rate, method, when) {
  if (Math.random() >= rate) return;
  process.stdout.write(`Chaos: killed ${when} ${method}\n`);
  process.kill(process.pid, 'SIGKILL');
}

if (process.env.APP_ROLES === 'scheduler') {
  for (const [{ prototype }, methods, rate] of STEPS) {
    for (const method of methods) {
      const original = prototype[method];
      prototype[method] = async function (...args) {
        maybeKill(rate, method, 'before');
        const result = await original.apply(this, args);
        maybeKill(rate, method, 'after');
        return result;
      };
    }
  }
}
