import { request } from 'node:http';
import { join } from 'node:path';
import type { ServiceProcess, ServiceRole } from '../test/chaos/service-process';
import type { Profile } from './profile';

/** What the main thread of a process did, see `main-thread-turns.cjs`. */
export interface Turns {
  /** The longest time for which it did one thing, in milliseconds of CPU time. */
  readonly longestBlockMs: number;
  readonly cpuMs: number;
}

/** Pauses processes of the service and queries their statistics (preload.cjs). */
export class ProcessControl {
  constructor(
    private readonly processes: readonly ServiceProcess[],
    private readonly folder: string,
  ) {}

  /** Resumes the processes of these roles and pauses all others. */
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

  /** Messages handed to the transport since `takeHandedOverTimes`. */
  async countHandedOver(): Promise<number> {
    const counts = await Promise.all(
      this.withRole('worker').map((worker) => this.request<number>(worker, 'handed')),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Returns and clears the times at which messages were handed to the transport, in epoch milliseconds. */
  async takeHandedOverTimes(): Promise<number[]> {
    return (
      await Promise.all(
        this.withRole('worker').map((worker) => this.request<number[]>(worker, 'take-handed')),
      )
    ).flat();
  }

  /** Database commands since the last call, by name and collection. */
  async takeCommands(roles: readonly ServiceRole[]): Promise<Record<string, number>> {
    const sum: Record<string, number> = {};
    for (const process of this.processes.filter(({ role }) => roles.includes(role))) {
      const counts = await this.request<Record<string, number>>(process, 'take-commands');
      for (const [command, count] of Object.entries(counts)) sum[command] = (sum[command] ?? 0) + count;
    }
    return sum;
  }

  /** When each message was offered to its stream since the last call, in epoch milliseconds by message id. */
  async takeOffers(): Promise<Map<string, number>> {
    const offers = await Promise.all(
      this.withRole('worker').map((worker) => this.request<[string, number][]>(worker, 'take-offers')),
    );
    return new Map(offers.flat());
  }

  /** Since the last call, of the first process of a role. */
  takeTurns(role: ServiceRole): Promise<Turns> {
    return this.requestFirst<Turns>(role, 'take-turns');
  }

  /** Bytes that the first process of a role has sent to and received from servers, by their port. */
  readBytes(role: ServiceRole): Promise<Record<string, number>> {
    return this.requestFirst<Record<string, number>>(role, 'bytes');
  }

  /** The memory (RSS) of the process of a role after a garbage collection that returns free pages to the system, in bytes. */
  async measureMemory(role: ServiceRole): Promise<number> {
    const sizes = await Promise.all(
      this.withRole(role).map((process) => this.request<number>(process, 'memory')),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  async startProfiles(roles: readonly ServiceRole[]): Promise<void> {
    for (const process of this.processes.filter(({ role }) => roles.includes(role))) {
      await this.request(process, 'start-profile');
    }
  }

  /** Profiles by process name. */
  async stopProfiles(roles: readonly ServiceRole[]): Promise<Map<string, Profile>> {
    const profiles = new Map<string, Profile>();
    for (const process of this.processes.filter(({ role }) => roles.includes(role))) {
      profiles.set(process.name, await this.request<Profile>(process, 'stop-profile'));
    }
    return profiles;
  }

  private withRole(role: ServiceRole): ServiceProcess[] {
    return this.processes.filter((process) => process.role === role);
  }

  private requestFirst<Answer>(role: ServiceRole, command: string): Promise<Answer> {
    const [process] = this.withRole(role);
    if (!process) return Promise.reject(new Error(`No process has the role ${role}`));
    return this.request<Answer>(process, command);
  }

  private request<Answer>({ name, pid }: ServiceProcess, command: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (pid === undefined) {
        reject(new Error(`${name} is not running`));
        return;
      }
      const call = request(
        { socketPath: join(this.folder, `${pid}.sock`), path: `/${command}` },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            if (response.statusCode === 200) resolve(JSON.parse(text) as Answer);
            else reject(new Error(`${name} failed to respond to ${command}: ${text}`));
          });
        },
      );
      call.once('error', reject);
      call.end();
    });
  }
}

function signal({ pid }: ServiceProcess, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (pid !== undefined) process.kill(pid, name);
}
