// Loaded into each process of the service before dist/main.js. Kills schedulers between the steps of maintenance.
const { JobLeasesRepository } = require('../../dist/maintenance/jobs/job-leases.repository.js');
const {
  MessageRetentionRepository,
} = require('../../dist/maintenance/retention/message-retention.repository.js');
const { TotalsRepository } = require('../../dist/maintenance/rollups/totals.repository.js');

const KILL_RATE = 0.06;
const STEPS = [
  [JobLeasesRepository, ['complete', 'release']],
  [MessageRetentionRepository, ['hideBatch', 'removeMessagesOf', 'removeBatch', 'removeUnbatched']],
  [TotalsRepository, ['countHours', 'advance', 'storeFinishedDays']],
];

function maybeKill(method, when) {
  if (Math.random() >= KILL_RATE) return;
  process.stdout.write(`Chaos: killed ${when} ${method}\n`);
  process.kill(process.pid, 'SIGKILL');
}

if (process.env.APP_ROLES === 'scheduler') {
  for (const [{ prototype }, methods] of STEPS) {
    for (const method of methods) {
      const original = prototype[method];
      prototype[method] = async function (...args) {
        maybeKill(method, 'before');
        const result = await original.apply(this, args);
        maybeKill(method, 'after');
        return result;
      };
    }
  }
}
