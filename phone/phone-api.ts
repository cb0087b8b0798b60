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

/** The requests of a phone, without retries. Every method throws `RequestError` without a 2xx response. */
export class PhoneApi {
  private readonly client: JsonClient;

  constructor(options: JsonClientOptions) {
    this.client = new JsonClient(options);
  }

  async registerDevice(registration: Readonly<Record<string, unknown>>): Promise<RegisteredDevice> {
    return readRegisteredDevice(await this.client.call('POST', 'gateway/devices', registration));
  }

  async setEnabled(deviceId: string, enabled: boolean): Promise<RegisteredDevice> {
    const path = `gateway/devices/${encodeURIComponent(deviceId)}`;
    return readRegisteredDevice(await this.client.call('PATCH', path, { enabled }));
  }

  async setPushToken(deviceId: string, fcmToken: string): Promise<void> {
    await this.client.call('PATCH', `gateway/devices/${encodeURIComponent(deviceId)}`, { fcmToken });
  }

  async devices(): Promise<ListedDevice[]> {
    return readDevices(await this.client.call('GET', 'gateway/devices'));
  }

  async reportStatus(deviceId: string, report: StatusReport): Promise<void> {
    await this.client.call('PATCH', devicePath(deviceId, 'sms-status'), report);
  }

  async acknowledge(deviceId: string, smsIds: readonly string[]): Promise<void> {
    await this.client.call('POST', devicePath(deviceId, 'messages/ack'), { smsIds });
  }

  /** Confirms that these messages were not sent and will not be. */
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

  /** The request has its own connection, so that it does not block reports. */
  openStream(deviceId: string): ClientRequest {
    return this.client.openRequest('GET', devicePath(deviceId, 'stream'));
  }

  /** Aborts requests. The object can still be used. */
  close(): void {
    this.client.close();
  }
}

function devicePath(deviceId: string, rest: string): string {
  return `gateway/devices/${encodeURIComponent(deviceId)}/${rest}`;
}
