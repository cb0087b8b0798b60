import { request } from 'node:http';
import { join } from 'node:path';
import type { ServiceProcess, ServiceRole } from '../test/chaos/service-process';
import type { Profile } from './profile';

/** Asks the processes of the service what they did (preload.cjs), and makes them stand still. */
export class ProcessControl {
  constructor(
    private readonly processes: readonly ServiceProcess[],
    private readonly folder: string,
  ) {}

  /** Lets the processes of these roles run, and no others. */
  run(roles: readonly ServiceRole[]): void {
    for (const process of this.processes) {
      signal(process, roles.includes(process.role) ? 'SIGCONT' : 'SIGSTOP');
    }
  }

  pause(role: ServiceRole): void {
    for (const process of this.withRole(role)) signal(process, 'SIGSTOP');
  }

  resume(role: ServiceRole): void {
    for (const process of this.withRole(role)) signal(process, 'SIGCONT');
  }

  /** Messages that the processes have handed to phones since `takeHanded`. */
  async handed(): Promise<number> {
    const counts = await Promise.all(
      this.withRole('worker').map((worker) => this.ask<number>(worker, 'handed')),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** When each message was handed over, in epoch milliseconds; forgotten from then on. */
  async takeHanded(): Promise<number[]> {
    return (
      await Promise.all(this.withRole('worker').map((worker) => this.ask<number[]>(worker, 'take-handed')))
    ).flat();
  }

  /** Database commands since the last call, by their name and collection. */
  async takeCommands(roles: readonly ServiceRole[]): Promise<Record<string, number>> {
    const sum: Record<string, number> = {};
    for (const process of this.processes.filter(({ role }) => roles.includes(role))) {
      const counts = await this.ask<Record<string, number>>(process, 'take-commands');
      for (const [command, count] of Object.entries(counts)) sum[command] = (sum[command] ?? 0) + count;
    }
    return sum;
  }

  async startProfiles(roles: readonly ServiceRole[]): Promise<void> {
    for (const process of this.processes.filter(({ role }) => roles.includes(role))) {
      await this.ask(process, 'start-profile');
    }
  }

  /** By the names of the processes. */
  async stopProfiles(roles: readonly ServiceRole[]): Promise<Map<string, Profile>> {
    const profiles = new Map<string, Profile>();
    for (const process of this.processes.filter(({ role }) => roles.includes(role))) {
      profiles.set(process.name, await this.ask<Profile>(process, 'stop-profile'));
    }
    return profiles;
  }

  private withRole(role: ServiceRole): ServiceProcess[] {
    return this.processes.filter((process) => process.role === role);
  }

  private ask<Answer>({ name, pid }: ServiceProcess, what: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (pid === undefined) {
        reject(new Error(`${name} does not run`));
        return;
      }
      const call = request({ socketPath: join(this.folder, `${pid}.sock`), path: `/${what}` }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(JSON.parse(text) as Answer);
          else reject(new Error(`${name} could not tell ${what}: ${text}`));
        });
      });
      call.once('error', reject);
      call.end();
    });
  }
}

function signal({ pid }: ServiceProcess, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (pid !== undefined) process.kill(pid, name);
}
