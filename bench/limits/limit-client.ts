import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { typescriptProgram } from 'messaging-gateway-local-stack/typescript-program';
import type { Owner } from '../documents';
import type { RowName } from '../options';
import type { Side, Slice } from '../slice';
import type { LimitAnswer, LimitCalls } from './calls';

interface PendingCall {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (failure: Error) => void;
}

/** Starts and calls the limit process. */
export class LimitClient {
  private readonly pendingCalls = new Map<number, PendingCall>();
  private calls = 0;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (answer: LimitAnswer) => {
      const waiting = this.pendingCalls.get(answer.id);
      this.pendingCalls.delete(answer.id);
      if ('failure' in answer) waiting?.reject(new Error(`The limit failed: ${answer.failure}`));
      else waiting?.resolve(answer.answer);
    });
    child.once('exit', () => {
      for (const { reject } of this.pendingCalls.values())
        reject(new Error('The process of the limits ended'));
      this.pendingCalls.clear();
    });
  }

  static async start(settings: LimitCalls['open']['input']): Promise<LimitClient> {
    const [program, ...args] = typescriptProgram(join(__dirname, 'main.ts'));
    const file = args.pop() ?? '';
    const child = fork(file, { execPath: program, execArgv: args, stdio: ['ignore', 2, 2, 'ipc'] });
    const client = new LimitClient(child);
    await client.call('open', settings);
    return client;
  }

  /** Starts a row. */
  async start(row: RowName, { user, devices }: Owner): Promise<Side> {
    await this.call('begin', {
      row,
      user: user.toHexString(),
      devices: devices.map((device) => device.toHexString()),
    });
    return {
      prepare: async (units) => {
        await this.call('prepare', { units });
      },
      run: (seconds, lanes): Promise<Slice> => this.call('run', { seconds, lanes }),
    };
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
  }

  private call<Name extends keyof LimitCalls>(
    name: Name,
    input: LimitCalls[Name]['input'],
  ): Promise<LimitCalls[Name]['output']> {
    return new Promise((resolve, reject) => {
      this.calls += 1;
      this.pendingCalls.set(this.calls, {
        resolve: (answer) => {
          resolve(answer as LimitCalls[Name]['output']);
        },
        reject,
      });
      this.child.send({ id: this.calls, name, input }, (failure) => {
        if (failure) reject(failure);
      });
    });
  }
}
