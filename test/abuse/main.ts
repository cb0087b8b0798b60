import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Redis from 'ioredis';
import { mongo } from 'mongoose';
import { Installation } from '../chaos/installation';
import { OwnStack } from '../chaos/own-stack';
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
    for (const attack of attacks) findings.push(...(await make(attack, stack, options.isShort)));
  } finally {
    // One that others brought is theirs.
    if (stack.ownsDatabase && stack.ownsRedis) await stack.stop();
  }
  process.stdout.write(`\n${tableOf(findings)}\n`);
  return findings.every(({ isHeld }) => isHeld) ? 0 : 1;
}

/** Makes one attack on an installation of its own. @throws Error when a process of it ended by itself. */
async function make(attack: Attack, stack: OwnStack, isShort: boolean): Promise<Finding[]> {
  const database = `abuse_${randomBytes(6).toString('hex')}`;
  const folder = join(tmpdir(), 'messaging-gateway-abuse', database);
  mkdirSync(folder, { recursive: true });
  say(`${attack.name}: starting ${attack.roles.join(', ')}; logs in ${folder}`);
  const faults: string[] = [];
  const installation = await Installation.start({
    stack,
    database,
    folder,
    roles: attack.roles,
    environment: attack.environment ?? {},
    nodeArguments: attack.nodeArguments ?? [],
    restartDelayMs: () => 0,
    onFault: (fault) => faults.push(fault),
  });
  try {
    const findings = await attack.run({
      installation,
      apiUrl: installation.apiUrls[0] ?? '',
      apiKey: installation.apiKey,
      isShort,
      say: (text) => say(`${attack.name}: ${text}`),
    });
    const crashes = faults.map((fault) => ({
      attack: attack.name,
      cost: '',
      effect: fault,
      bound: 'no process ends',
      isHeld: false,
    }));
    return [...findings, ...crashes];
  } finally {
    await installation.stop('SIGTERM');
    await drop(stack, database);
  }
}

async function drop({ mongodbUri, redisUrl }: OwnStack, database: string): Promise<void> {
  const client = await new mongo.MongoClient(mongodbUri).connect();
  await client.db(database).dropDatabase();
  await client.close();
  const redis = new Redis(redisUrl);
  const keys = await redis.keys(`${database}:*`);
  if (keys.length > 0) await redis.del(keys);
  await redis.quit();
}

main().then(
  (code) => process.exit(code),
  (failure: unknown) => {
    say(failure instanceof Error ? (failure.stack ?? failure.message) : String(failure));
    process.exit(1);
  },
);
