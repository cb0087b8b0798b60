import type { PushCommand, PushResult, PushTarget, PushTransport } from '../../src/push/push-transport';

/** A push service that does as the test says, and remembers what it was handed. */
export class ScriptedTransport implements PushTransport {
  /** The ids of the messages that were put into its hands, in order, repeats included. */
  readonly pushed: string[] = [];

  answer: (id: string) => PushResult | Promise<PushResult> = () => ({ outcome: 'accepted' });

  canReach(): boolean {
    return true;
  }

  fits(): boolean {
    return true;
  }

  async push(_target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    const results: PushResult[] = [];
    for (const command of commands) {
      if (command.kind !== 'sms') continue;
      this.pushed.push(command.id);
      results.push(await this.answer(command.id));
    }
    return results;
  }
}
