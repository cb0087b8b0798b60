import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../tools/local-stack/ports';
import type { OwnStack } from './own-stack';
import { DIST, ServiceProcess, type ServiceRole } from './service-process';

const ADMIN = join(DIST, 'admin.js');

export interface InstallationOptions {
  readonly stack: OwnStack;
  readonly database: string;
  /** For the logs of the processes. */
  readonly folder: string;
  /** One process each. */
  readonly roles: readonly ServiceRole[];
  /** For all processes, beside what each installation needs. */
  readonly environment: Readonly<Record<string, string>>;
  readonly nodeArguments: readonly string[];
  readonly restartDelayMs: () => number;
  /** The build to run; by default that of this checkout. */
  readonly dist?: string;
  readonly onFault: (fault: string) => void;
}

/** The service as it runs in production: its roles in processes of their own, each started again when it ends. */
export class Installation {
  private constructor(
    private readonly environment: Readonly<Record<string, string>>,
    readonly apiKey: string,
    readonly apiPorts: readonly number[],
    readonly processes: readonly ServiceProcess[],
  ) {}

  static async start(options: InstallationOptions): Promise<Installation> {
    const { stack, database, folder, roles, nodeArguments, restartDelayMs, onFault } = options;
    const apiKey = `mgw_${randomBytes(24).toString('hex')}`;
    const environment = {
      MONGODB_URI: stack.mongodbUri,
      MONGODB_DATABASE: database,
      REDIS_URL: stack.redisUrl,
      REDIS_PREFIX: database,
      TOKEN_SECRET: randomBytes(24).toString('hex'),
      ENCRYPTION_KEYS: randomBytes(32).toString('hex'),
      BOOTSTRAP_API_KEY: apiKey,
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      HOST: '127.0.0.1',
      ...options.environment,
    };
    const apiPorts: number[] = [];
    for (const role of roles) if (role === 'api') apiPorts.push(await freePort());
    const ports = [...apiPorts];
    const counts = new Map<ServiceRole, number>();
    const processes = roles.map((role) => {
      const number = (counts.get(role) ?? 0) + 1;
      counts.set(role, number);
      return new ServiceProcess({
        name: `${role} ${number}`,
        role,
        dist: options.dist ?? DIST,
        environment: { ...environment, ...(role === 'api' && { PORT: String(ports.shift()) }) },
        nodeArguments,
        folder,
        mayFailToStart: (since) => stack.wasAway(since),
        restartDelayMs,
        onFault,
      });
    });
    for (const process of processes) process.start();
    try {
      await Promise.all(processes.map((process) => process.untilReady()));
    } catch (failure) {
      await Promise.all(processes.map((process) => process.retire('SIGKILL')));
      throw failure;
    }
    return new Installation(environment, apiKey, apiPorts, processes);
  }

  get apiUrls(): string[] {
    return this.apiPorts.map((port) => `http://127.0.0.1:${port}`);
  }

  withRole(role: ServiceRole): ServiceProcess[] {
    return this.processes.filter((process) => process.role === role);
  }

  /** Runs one of the operator's commands. @returns what it printed. @throws Error when it fails. */
  async administer(...command: string[]): Promise<string> {
    const env = { PATH: process.env.PATH, ...this.environment };
    return (await promisify(execFile)(process.execPath, [ADMIN, ...command], { env })).stdout;
  }

  /** Ends all processes for good. */
  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await Promise.all(this.processes.map((process) => process.retire(signal)));
  }
}
