import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from 'messaging-gateway-local-stack/ports';
import type { OwnStack } from './own-stack';
import { DIST, ServiceProcess, type ServiceRole } from './service-process';

const ADMIN_PROGRAM = join(DIST, 'admin.js');

export interface InstallationOptions {
  readonly stack: Pick<OwnStack, 'environment' | 'wasDownSince'>;
  readonly database: string;
  /** Where the processes write their logs. */
  readonly folder: string;
  /** The roles of the processes. */
  readonly roles: readonly ServiceRole[];
  /** Additional settings of all processes. */
  readonly environment: Readonly<Record<string, string>>;
  readonly nodeArguments: readonly string[];
  readonly restartDelayMs: () => number;
  /** The build to run; by default that of this checkout. */
  readonly dist?: string;
  /** The build of the first start of each process, if it is another one. */
  readonly firstDist?: string;
  readonly onError: (error: string) => void;
}

/** The service as in production: one process per role, each restarted when it exits. */
export class Installation {
  private constructor(
    private readonly environment: Readonly<Record<string, string>>,
    readonly apiKey: string,
    readonly apiPorts: readonly number[],
    readonly processes: readonly ServiceProcess[],
  ) {}

  static async start(options: InstallationOptions): Promise<Installation> {
    const { stack, database, folder, roles, nodeArguments, restartDelayMs, onError } = options;
    const apiKey = `mgw_${randomBytes(24).toString('hex')}`;
    const environment = {
      MONGODB_DATABASE: database,
      ...stack.environment,
      REDIS_PREFIX: database,
      TOKEN_SECRET: randomBytes(24).toString('hex'),
      ENCRYPTION_KEYS: randomBytes(32).toString('hex'),
      BOOTSTRAP_API_KEY: apiKey,
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      HOST: '127.0.0.1',
      ...options.environment,
    };
    const apiPorts: number[] = [];
    for (const role of roles) if (hasApi(role)) apiPorts.push(await freePort());
    const ports = [...apiPorts];
    const counts = new Map<ServiceRole, number>();
    const processes = roles.map((role) => {
      const number = (counts.get(role) ?? 0) + 1;
      counts.set(role, number);
      return new ServiceProcess({
        name: `${role} ${number}`,
        role,
        dist: options.dist ?? DIST,
        firstDist: options.firstDist,
        environment: { ...environment, ...(hasApi(role) && { PORT: String(ports.shift()) }) },
        nodeArguments,
        folder,
        mayFailToStart: (since) => stack.wasDownSince(since),
        restartDelayMs,
        onError,
      });
    });
    for (const process of processes) process.start();
    try {
      await Promise.all(processes.map((process) => process.waitUntilReady()));
    } catch (failure) {
      await Promise.all(processes.map((process) => process.stopPermanently('SIGKILL')));
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

  /** Runs an admin command. @returns its output. @throws Error if it fails. */
  async runAdminCommand(...command: string[]): Promise<string> {
    const env = { PATH: process.env.PATH, ...this.environment };
    return (await promisify(execFile)(process.execPath, [ADMIN_PROGRAM, ...command], { env })).stdout;
  }

  /** Stops all processes without a restart. */
  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stopPermanently(signal)));
  }
}

const hasApi = (role: ServiceRole): boolean => role === 'api' || role === 'all';
