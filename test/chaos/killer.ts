import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from './chance';
import type { Installation } from './installation';
import { type Kill, KILLS, type PlannedKill } from './kill-plan';
import type { OwnStack } from './own-stack';
import type { PhoneSet } from './phone-set';
import type { ChaosScreen } from './screen';
import type { ServiceProcess } from './service-process';

/** Whom kills can hit. */
export interface Victims {
  readonly installation: Installation;
  readonly stack: OwnStack;
  readonly phones: PhoneSet;
}

/** Those of the wished kills that can be carried out: what MONGODB_URI or REDIS_URL names is not ours to kill. */
export function possibleKills(wished: readonly Kill[] = KILLS, stack: OwnStack): Kill[] {
  const ofStack: readonly Kill[] = stack.possible();
  const isOfStack = (kill: Kill) =>
    kill.startsWith('database') || kill.startsWith('Redis') || kill === 'everything';
  return wished.filter((kill) => !isOfStack(kill) || ofStack.includes(kill));
}

/** Carries kills out, and whatever else is done to processes, the stack and phones. */
export class Killer {
  /** How often each was carried out. */
  readonly kills = new Map<Kill, number>();

  constructor(
    private readonly victims: Victims,
    private readonly chance: Chance,
    private readonly screen: ChaosScreen,
  ) {}

  /** Carries each out when it is due. Resolves once all is up again. */
  async carryOut(plan: readonly PlannedKill[]): Promise<void> {
    const start = performance.now();
    const under: Promise<void>[] = [];
    for (const { at, kill, downMs } of plan) {
      await sleep(Math.max(0, start + at - performance.now()));
      this.kills.set(kill, (this.kills.get(kill) ?? 0) + 1);
      under.push(this.carryOutOne(kill, downMs));
    }
    await Promise.all(under);
    await Promise.all(this.victims.installation.processes.map((process) => process.untilReady()));
  }

  private async carryOutOne(kill: Kill, downMs: number): Promise<void> {
    const { installation, stack, phones } = this.victims;
    switch (kill) {
      case 'api':
      case 'worker':
      case 'scheduler': {
        const process = this.pick(kill);
        this.screen.say(`kill -9 ${process.name}`);
        process.kill();
        return;
      }
      case 'api, asked to stop':
      case 'worker, asked to stop':
      case 'scheduler, asked to stop': {
        const process = this.pick(roleIn(kill));
        this.screen.say(`SIGTERM ${process.name}`);
        process.askToStop();
        return;
      }
      case 'api, frozen for a while':
      case 'worker, frozen for a while': {
        const process = this.pick(roleIn(kill));
        this.screen.say(`${process.name} is frozen for ${Math.round(downMs / 1_000)} s`);
        process.freeze(downMs);
        await sleep(downMs);
        return;
      }
      case 'database away while all are asked to stop':
      case 'Redis away while all are asked to stop':
        this.screen.say(kill);
        await stack.kill(kill, downMs, () => {
          for (const process of installation.processes) process.askToStop();
        });
        this.screen.say('it is back');
        return;
      case 'phone':
        this.screen.say('a stream phone dies');
        await this.chance.pick(phones.streams).die(downMs);
        return;
      case 'everything':
        this.screen.say('kill -9 everything at once');
        for (const process of installation.processes) process.kill();
        await stack.kill(kill, downMs);
        return;
      case 'Redis with its data':
      case 'database':
      case 'database server':
      case 'database front':
        this.screen.say(`kill -9 ${kill}`);
        await stack.kill(kill, downMs);
        this.screen.say(`${kill}: back`);
    }
  }

  private pick(role: ServiceProcess['role']): ServiceProcess {
    return this.chance.pick(this.victims.installation.withRole(role));
  }
}

/** The role that a kill begins with. */
function roleIn(kill: `${ServiceProcess['role']}, ${string}`): ServiceProcess['role'] {
  const [role] = kill.split(',') as [ServiceProcess['role']];
  return role;
}
