import type { ServerResponse } from 'node:http';
import type { AuthenticatedAccount } from '../../auth/account-scope';
import type { Types } from 'mongoose';
import { SseStream } from '../../common/http/streams/sse-stream';
import type { PushCommand } from '../transport/push-transport';

/** A phone with more unread data than this is disconnected; it gets the rest after it reconnects. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** The open stream of a phone: Server-Sent Events on the response to its request. */
export class DeviceStream extends SseStream {
  private handOvers: Promise<void> = Promise.resolve();

  /** @param recordId the id under which it is stored with its device. Only the stream that a phone opened last gets messages. */
  constructor(
    readonly account: AuthenticatedAccount,
    readonly deviceId: Types.ObjectId,
    readonly recordId: Types.ObjectId,
    response: ServerResponse,
  ) {
    super(response, MAX_BUFFERED_BYTES);
  }

  send(command: PushCommand): void {
    const { kind, ...content } = command;
    if (command.kind === 'sms') this.sendEvent(kind, command.payload, command.id);
    else this.sendEvent(kind, content);
  }

  /** Tracks a hand-over in progress, which never throws. */
  track<Result>(handOver: Promise<Result>): Promise<Result> {
    // Without the results, which would be kept as long as the stream.
    this.handOvers = Promise.all([this.handOvers, handOver]).then(() => undefined);
    return handOver;
  }

  /** Resolves when the hand-overs that are in progress now have ended: a request to cancel a message must come after it. */
  async handedOver(): Promise<void> {
    await this.handOvers;
  }
}
