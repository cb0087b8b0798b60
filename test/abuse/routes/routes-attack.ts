import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack, AttackContext, Finding } from '../attack';
import {
  appRequests,
  operationRequests,
  otherRequests,
  readApiDocument,
  type RouteRequest,
} from './route-requests';
import { type Measured, RoutesRun } from './routes-run';
import { createWorld, FULL_WORLD, SHORT_WORLD } from './routes-world';

/** The attack stops here: what is left is reported as not measured. */
const FULL_DURATION_MS = 20 * 60_000;
const SHORT_DURATION_MS = 75_000;

const METER_FILE = join(mkdtempSync(join(tmpdir(), 'turn-meter-')), 'port');

/** Requests whose work grows with a body or with stored data, which the short run measures first. */
const HEAVY =
  /^(\/docs-json|estimateSend|getQueue|sendBulkSms |sendSms \(valid|listProblems|getOverview|createView|sendHeartbeat|getBatch$|listMessages)/;

/** Calls every operation and every other path, alone and eight at once, with and without a credential. */
export const routesAttack: Attack = {
  name: 'routes',
  roles: ['api'],
  environment: {
    ALLOW_REGISTRATION: 'true',
    TURN_METER_FILE: METER_FILE,
    METRICS_TOKEN: 'a-token-of-twenty-characters',
    QUEUE_PAGE_PASSWORD: 'a password of the queue page',
    // What is measured is the cost of each call, not how soon calls are refused.
    RATE_LIMIT_PER_KEY: '1000000',
    RATE_LIMIT_PER_ADDRESS: '1000000',
    MAX_PHONE_REQUESTS_PER_MINUTE: '0',
  },
  nodeArguments: ['--require', join(__dirname, 'turn-meter.cjs')],
  async run(context: AttackContext): Promise<Finding[]> {
    const startedAt = Date.now();
    const { isShort, log, routes } = context;
    const world = await createWorld(context, isShort ? SHORT_WORLD : FULL_WORLD);
    log(`Stored in ${((Date.now() - startedAt) / 1_000).toFixed(0)} s`);
    const assets = readdirSync(join(__dirname, '..', '..', '..', 'dashboard', 'dist', 'assets'));
    const all = [
      ...otherRequests(assets.find((name) => /^index-.*\.js$/.test(name)) ?? 'index.js'),
      ...operationRequests(readApiDocument(), world),
      ...appRequests(world),
    ]
      .filter(({ name }) => routes.length === 0 || routes.some((prefix) => name.startsWith(prefix)))
      .sort((one, other) => one.turn - other.turn);
    const chosen = isShort ? [...all.filter(({ name }) => HEAVY.test(name)), ...rotated(all)] : all;
    const run = new RoutesRun(context, METER_FILE, world);
    const results: Measured[] = [];
    const deadline = startedAt + (isShort ? SHORT_DURATION_MS : FULL_DURATION_MS);
    try {
      for (const route of chosen) {
        if (Date.now() > deadline) break;
        const measured = await run.measure(route);
        const { passed, attack, effect, cost } = measured.finding;
        log(`${passed ? '' : 'OVER '}${attack}: ${effect}; ${cost}`);
        results.push(measured);
      }
    } finally {
      run.stop();
    }
    const over = results.filter(({ finding }) => !finding.passed).length;
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0);
    const busy = results.filter(({ isBusy }) => isBusy).length;
    log(
      `${results.length} of ${all.length} requests measured in ${seconds} s, ${over} over the bounds, ${busy} on a busy machine`,
    );
    const findings = results.sort(worstFirst).map(({ finding }) => finding);
    const isComplete = isShort || results.length === all.length;
    return isComplete ? findings : [notMeasured(all.slice(results.length)), ...findings];
  },
};

/** Begins at another request each day, so that the short runs of some days cover all. */
function rotated(requests: readonly RouteRequest[]): RouteRequest[] {
  const light = requests.filter(({ name }) => !HEAVY.test(name));
  const start = (Math.floor(Date.now() / 86_400_000) * 20) % Math.max(light.length, 1);
  return [...light.slice(start), ...light.slice(0, start)];
}

const worstFirst = (one: Measured, other: Measured): number =>
  Number(one.finding.passed) - Number(other.finding.passed) || other.blockMs - one.blockMs;

const notMeasured = (requests: readonly RouteRequest[]): Finding => ({
  attack: `${requests.length} requests`,
  cost: '',
  effect: `not measured in time: ${requests.map(({ name }) => name).join(', ')}`,
  bound: `${FULL_DURATION_MS / 60_000} minutes`,
  passed: false,
});
