import type {
  PushCommand,
  PushResult,
  PushTarget,
  PushTransport,
} from '../../src/push/transport/push-transport';

/** A push transport with scripted results that records what was pushed. */
export class ScriptedTransport implements PushTransport {
  /** The ids of all pushed messages in order, with repeats. */
  readonly pushed: string[] = [];
  /** The device of each of them. */
  readonly devices: string[] = [];
  /** The ids in each pushed cancel command. */
  readonly cancelled: (readonly string[])[] = [];

  resultOf: (id: string, device: string) => PushResult | Promise<PushResult> = () => ({
    outcome: 'accepted',
  });

  async push({ deviceId }: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    const results: PushResult[] = [];
    for (const command of commands) {
      if (command.kind === 'cancel') this.cancelled.push(command.smsIds);
      if (command.kind !== 'sms') continue;
      this.pushed.push(command.id);
      this.devices.push(deviceId.toHexString());
      results.push(await this.resultOf(command.id, deviceId.toHexString()));
    }
    return results;
  }
}
