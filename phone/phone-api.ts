import type { ClientRequest } from 'node:http';
import { JsonClient, type JsonClientOptions } from './json-client';
import {
  readDevices,
  readHeartbeatAnswer,
  readPendingCommands,
  readRegisteredDevice,
  type HeartbeatResult,
  type IncomingSms,
  type ListedDevice,
  type RegisteredDevice,
  type SmsCommand,
  type StatusReport,
} from './wire';

/**
 * The calls a phone makes, one method each, without retries. Every method throws `RequestError` on anything but a 2xx.
 * Tests use it directly to report what a phone in good order never would.
 */
export class PhoneApi {
  private readonly client: JsonClient;

  constructor(options: JsonClientOptions) {
    this.client = new JsonClient(options);
  }

  async registerDevice(registration: Readonly<Record<string, unknown>>): Promise<RegisteredDevice> {
    return readRegisteredDevice(await this.client.call('POST', 'gateway/devices', registration));
  }

  /** Switches a device on or off, as the switch in the app does. */
  async setEnabled(deviceId: string, enabled: boolean): Promise<RegisteredDevice> {
    const path = `gateway/devices/${encodeURIComponent(deviceId)}`;
    return readRegisteredDevice(await this.client.call('PATCH', path, { enabled }));
  }

  /** All devices of the account, whoever they are. */
  async devices(): Promise<ListedDevice[]> {
    return readDevices(await this.client.call('GET', 'gateway/devices'));
  }

  async reportStatus(deviceId: string, report: StatusReport): Promise<void> {
    await this.client.call('PATCH', devicePath(deviceId, 'sms-status'), report);
  }

  async acknowledge(deviceId: string, smsIds: readonly string[]): Promise<void> {
    await this.client.call('POST', devicePath(deviceId, 'messages/ack'), { smsIds });
  }

  /** Says that these messages were not sent and never will be. */
  async confirmCancelled(deviceId: string, smsIds: readonly string[]): Promise<void> {
    await this.client.call('POST', devicePath(deviceId, 'messages/cancelled'), { smsIds });
  }

  async uploadIncoming(deviceId: string, sms: IncomingSms): Promise<void> {
    await this.client.call('POST', devicePath(deviceId, 'receive-sms'), sms);
  }

  async heartbeat(deviceId: string, facts: Readonly<Record<string, unknown>>): Promise<HeartbeatResult> {
    return readHeartbeatAnswer(await this.client.call('POST', devicePath(deviceId, 'heartbeat'), facts));
  }

  async pendingCommands(deviceId: string): Promise<SmsCommand[]> {
    return readPendingCommands(await this.client.call('GET', devicePath(deviceId, 'messages/pending')));
  }

  /** The request that becomes the stream. It has a connection of its own, so that it never blocks a report. */
  openStream(deviceId: string): ClientRequest {
    return this.client.openRequest('GET', devicePath(deviceId, 'stream'));
  }

  /** Breaks off the calls under way. A closed API can still be used; `close` again then. */
  close(): void {
    this.client.close();
  }
}

function devicePath(deviceId: string, rest: string): string {
  return `gateway/devices/${encodeURIComponent(deviceId)}/${rest}`;
}
