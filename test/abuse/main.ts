import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Redis from 'ioredis';
import { mongo } from 'mongoose';
import { Records } from '../../bench/records';
import { Installation } from '../chaos/installation';
import { oneRunAtATime } from '../chaos/one-run-at-a-time';
import { OwnStack } from '../chaos/own-stack';
import { ChaosScreen } from '../chaos/screen';
import type { Attack, Finding } from './attack';
import { ATTACKS } from './attacks/attacks';
import { readOptions } from './options';
import { tableOf } from './table';

const say = (text: string) => process.stderr.write(`${text}\n`);

/** Attacks the built service, and checks that another tenant hardly notices: one attack after the other. */
async function main(): Promise<number> {
  const options = readOptions(
    process.argv.slice(2),
    ATTACKS.map(({ name }) => name),
  );
  const attacks = ATTACKS.filter(
    ({ name }) => options.attacks.length === 0 || options.attacks.includes(name),
  );
  const stack = await OwnStack.start('abuse');
  const findings: Finding[] = [];
  try {
    // Each on an installation of its own; in the short form one after the other on the same.
    const groups = options.isShort ? [attacks] : attacks.map((attack) => [attack]);
    for (const group of groups) findings.push(...(await make(group, stack, options.isShort)));
  } finally {
    // One that others brought is theirs.
    if (stack.ownsDatabase && stack.ownsRedis) await stack.stop();
  }
  process.stdout.write(`\n${tableOf(findings)}\n`);
  return findings.every(({ isHeld }) => isHeld) ? 0 : 1;
}

/** Makes attacks on one installation that is as each of them wants it. */
async function make(attacks: readonly Attack[], stack: OwnStack, isShort: boolean): Promise<Finding[]> {
  const database = `abuse_${randomBytes(6).toString('hex')}`;
  const folder = join(tmpdir(), 'messaging-gateway-abuse', database);
  mkdirSync(folder, { recursive: true });
  const roles = [...new Set(attacks.flatMap((attack) => attack.roles))];
  say(`Starting ${roles.join(', ')}; logs in ${folder}`);
  const faults: string[] = [];
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
    onFault: (fault) => faults.push(fault),
  });
  const client = await new mongo.MongoClient(stack.mongodbUri).connect();
  try {
    const findings: Finding[] = [];
    for (const attack of attacks) {
      const found = await attack
        .run({
          installation,
          records: new Records(client.db(database)),
          apiUrl: installation.apiUrls[0] ?? '',
          apiKey: installation.apiKey,
          isShort,
          say: (text) => {
            say(`${attack.name}: ${text}`);
          },
        })
        .catch((failure: unknown) => [brokenBy(attack, failure)]);
      const crashes = faults.splice(0).map((fault) => ({
        attack: attack.name,
        cost: '',
        effect: fault,
        bound: 'no process ends',
        isHeld: false,
      }));
      findings.push(...found, ...crashes);
    }
    return findings;
  } finally {
    await installation.stop('SIGTERM');
    await client.db(database).dropDatabase();
    await client.close();
    await dropKeys(stack, database);
  }
}

/** An attack that could not be made to its end proves nothing. */
function brokenBy({ name }: Attack, failure: unknown): Finding {
  say(failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
  return { attack: name, cost: '', effect: `Broke off: ${String(failure)}`, bound: '', isHeld: false };
}

async function dropKeys({ redisUrl }: OwnStack, database: string): Promise<void> {
  const redis = new Redis(redisUrl);
  const keys = await redis.keys(`${database}:*`);
  if (keys.length > 0) await redis.del(keys);
  await redis.quit();
}

oneRunAtATime(new ChaosScreen(), main).then(
  (code) => process.exit(code),
  (failure: unknown) => {
    say(failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
    process.exit(1);
  },
);
