import type Redis from 'ioredis';

/** What a Redis has done since its start. */
export interface RedisUsage {
  /** Calls by command. */
  readonly commands: Readonly<Record<string, number>>;
  readonly cpuSeconds: number;
}

export async function readRedisUsage(redis: Redis): Promise<RedisUsage> {
  const [stats, cpu] = await Promise.all([redis.info('commandstats'), redis.info('cpu')]);
  const commands: Record<string, number> = {};
  for (const [, name = '', calls] of stats.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm))
    if (name !== 'info') commands[name] = Number(calls);
  return { commands, cpuSeconds: numberIn(cpu, 'used_cpu_user') + numberIn(cpu, 'used_cpu_sys') };
}

export function usageBetween(before: RedisUsage, after: RedisUsage): RedisUsage {
  const entries = Object.entries(after.commands).map(
    ([name, calls]) => [name, calls - (before.commands[name] ?? 0)] as const,
  );
  return {
    commands: Object.fromEntries(entries.filter(([, calls]) => calls > 0)),
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  };
}

const numberIn = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1] ?? 0);
