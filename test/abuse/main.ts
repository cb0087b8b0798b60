import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Redis from 'ioredis';
import { mongo } from 'mongoose';
import { Records } from '../../bench/records';
import { Installation } from '../chaos/installation';
import { withRunLock } from '../chaos/run-lock';
import { OwnStack } from '../chaos/own-stack';
import { ProgressLog } from '../chaos/progress-log';
import type { Attack, Finding } from './attack';
import { ATTACKS } from './attacks/attacks';
import { routesAttack } from './routes/routes-attack';
import { type AbuseOptions, readOptions } from './options';
import { formatTable } from './table';

const log = (text: string) => process.stderr.write(`${text}\n`);

/** Attacks the built service and checks the effect on another tenant, one attack after the other. */
async function main(): Promise<number> {
  const options = readOptions(
    process.argv.slice(2),
    ATTACKS.map(({ name }) => name),
  );
  const attacks = options.isOfRoutes
    ? [routesAttack]
    : ATTACKS.filter(({ name }) => options.attacks.length === 0 || options.attacks.includes(name));
  const stack = await OwnStack.start('abuse');
  const findings: Finding[] = [];
  try {
    // The short run uses one installation for all attacks.
    const groups = options.isShort ? [attacks] : attacks.map((attack) => [attack]);
    for (const group of groups) findings.push(...(await runAttacks(group, stack, options)));
  } finally {
    // MONGODB_URI and REDIS_URL name servers that are not ours to stop.
    if (stack.ownsDatabase && stack.ownsRedis) await stack.stop();
  }
  process.stdout.write(`\n${formatTable(findings)}\n`);
  return findings.every(({ passed }) => passed) ? 0 : 1;
}

/** Runs attacks on one installation with the settings of all of them. */
async function runAttacks(
  attacks: readonly Attack[],
  stack: OwnStack,
  { isShort, routes }: Pick<AbuseOptions, 'isShort' | 'routes'>,
): Promise<Finding[]> {
  const database = `abuse_${randomBytes(6).toString('hex')}`;
  const folder = join(tmpdir(), 'messaging-gateway-abuse', database);
  mkdirSync(folder, { recursive: true });
  const roles = [...new Set(attacks.flatMap((attack) => attack.roles))];
  log(`Starting ${roles.join(', ')}; logs in ${folder}`);
  const errors: string[] = [];
  const installation = await Installation.start({
    stack,
    database,
    folder,
    roles,
    environment: Object.assign({}, ...attacks.map(({ environment }) => environment)) as Record<
      string,
      string
    >,
    nodeArguments: [...new Set(attacks.flatMap(({ nodeArguments = [] }) => nodeArguments))],
    restartDelayMs: () => 0,
    onError: (error) => errors.push(error),
  });
  const client = await new mongo.MongoClient(stack.mongodbUri).connect();
  try {
    const findings: Finding[] = [];
    for (const attack of attacks) {
      const attackFindings = await attack
        .run({
          installation,
          records: new Records(client.db(database)),
          apiUrl: installation.apiUrls[0] ?? '',
          apiKey: installation.apiKey,
          isShort,
          routes,
          forgetAttempts: () => dropKeys(stack, `${database}:attempts`),
          log: (text) => {
            log(`${attack.name}: ${text}`);
          },
        })
        .catch((failure: unknown) => [failedFinding(attack, failure)]);
      const crashes = errors.splice(0).map((error) => ({
        attack: attack.name,
        cost: '',
        effect: error,
        bound: 'no process exits',
        passed: false,
      }));
      findings.push(...attackFindings, ...crashes);
    }
    return findings;
  } finally {
    await installation.stop('SIGTERM');
    await client.db(database).dropDatabase();
    await client.close();
    await dropKeys(stack, database);
  }
}

/** The finding of an attack that could not be completed. */
function failedFinding({ name }: Attack, failure: unknown): Finding {
  log(failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
  return { attack: name, cost: '', effect: `Aborted: ${String(failure)}`, bound: '', passed: false };
}

async function dropKeys({ redisUrl }: OwnStack, prefix: string): Promise<void> {
  const redis = new Redis(redisUrl);
  const keys = await redis.keys(`*${prefix}:*`);
  if (keys.length > 0) await redis.del(keys);
  await redis.quit();
}

withRunLock(new ProgressLog(), main).then(
  (code) => process.exit(code),
  (failure: unknown) => {
    log(failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
    process.exit(1);
  },
);
