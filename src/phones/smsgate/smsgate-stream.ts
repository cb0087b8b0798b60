import type { ServerResponse } from 'node:http';
import type { Types } from 'mongoose';
import type { AuthenticatedAccount } from '../../auth/account-scope';
import { SseStream } from '../../common/http/streams/sse-stream';
import type { ExportRequest } from '../../devices/store/device.schema';
import type { WakeSignal, WakeStream } from '../../push/wake/wake-hub';

/** Signals are small; an app that does not read them fetches after its next connection. */
const MAX_BUFFERED_BYTES = 64 * 1024;

/** An open stream of the app. */
export class SmsGateStream extends SseStream implements WakeStream {
  constructor(
    readonly account: AuthenticatedAccount,
    readonly deviceId: Types.ObjectId,
    response: ServerResponse,
  ) {
    super(response, MAX_BUFFERED_BYTES);
  }

  send(signal: WakeSignal): void {
    if (signal.kind === 'fetch') this.sendEvent('MessageEnqueued', {});
    else for (const messageId of signal.smsIds) this.sendEvent('MessageCancelled', { messageId });
  }

  requestExport({ since, until }: ExportRequest): void {
    this.sendEvent('MessagesExportRequested', {
      since: since.toISOString(),
      until: until.toISOString(),
      messageTypes: 'SMS',
      triggerWebhooks: 'true',
    });
  }
}
