/** A message to send: an `sms` event of the stream, or an element of `messages/pending`. */
export interface SmsCommand {
  readonly smsId: string;
  readonly smsBatchId: string;
  readonly message: string;
  /** The encrypted text; `message` is then empty. */
  readonly encryptedMessage?: string;
  readonly recipients: readonly [string];
  readonly simSubscriptionId?: number;
  /** ISO time at and after which it must not be sent. */
  readonly validUntil?: string;
}

export interface RegisteredDevice {
  readonly _id: string;
  readonly name?: string;
  readonly enabled: boolean;
  readonly heartbeatIntervalMinutes: number;
}

export interface ListedDevice {
  readonly _id: string;
  readonly enabled: boolean;
  readonly model: string;
  /** False if pushes fail, or before the first heartbeat. */
  readonly reachable: boolean;
}

export interface StatusReport {
  readonly smsId: string;
  readonly smsBatchId: string;
  /** `SENT`, `DELIVERED` or `FAILED`; tests may send anything. */
  readonly status: string;
  readonly sentAtInMillis?: number;
  readonly deliveredAtInMillis?: number;
  readonly failedAtInMillis?: number;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly pushReceivedAtInMillis?: number;
  readonly sendAttemptedAtInMillis?: number;
  /** The subscription id of the SIM. */
  readonly simUsed?: number;
  readonly reportAttempt?: number;
}

export interface IncomingSms {
  readonly sender: string;
  readonly message: string;
  readonly receivedAtInMillis: number;
  /** MD5 hex of `sender|message|receivedAtInMillis`. */
  readonly fingerprint: string;
}

export interface HeartbeatResult {
  readonly success: boolean;
  readonly pendingCount: number;
}

/** @returns undefined for an invalid command. */
export function readSmsCommand(value: unknown): SmsCommand | undefined {
  if (!isRecord(value)) return undefined;
  const { smsId, smsBatchId, message, encryptedMessage, recipients, simSubscriptionId, validUntil } = value;
  if (typeof smsId !== 'string' || typeof smsBatchId !== 'string' || typeof message !== 'string')
    return undefined;
  if (!Array.isArray(recipients) || recipients.length !== 1) return undefined;
  const recipient: unknown = recipients[0];
  if (typeof recipient !== 'string') return undefined;
  return {
    smsId,
    smsBatchId,
    message,
    recipients: [recipient],
    ...(typeof encryptedMessage === 'string' && { encryptedMessage }),
    ...(typeof simSubscriptionId === 'number' && { simSubscriptionId }),
    ...(typeof validUntil === 'string' && { validUntil }),
  };
}

/** @param data the JSON text in the field `smsData` of an FCM push. @returns undefined for an invalid command. */
export function readPushedCommand(data: unknown): SmsCommand | undefined {
  return typeof data === 'string' ? readSmsCommand(parseOrUndefined(data)) : undefined;
}

export function readSmsIds(value: unknown): string[] {
  if (!isRecord(value) || !Array.isArray(value.smsIds)) return [];
  return value.smsIds.filter((id: unknown) => typeof id === 'string');
}

/** @throws Error without a device id. */
export function readRegisteredDevice(answer: unknown): RegisteredDevice {
  const device = dataIn(answer);
  if (!isRecord(device) || typeof device._id !== 'string') {
    throw new Error('the response to the registration has no device id');
  }
  const interval = device.heartbeatIntervalMinutes;
  return {
    _id: device._id,
    name: typeof device.name === 'string' ? device.name : undefined,
    enabled: device.enabled !== false,
    heartbeatIntervalMinutes: typeof interval === 'number' && interval > 0 ? interval : 30,
  };
}

export function readDevices(answer: unknown): ListedDevice[] {
  const list = dataIn(answer);
  if (!Array.isArray(list)) return [];
  return list.flatMap((device: unknown) => {
    if (!isRecord(device) || typeof device._id !== 'string' || typeof device.model !== 'string') return [];
    const { _id, model, pushError, lastHeartbeat } = device;
    const reachable = pushError === undefined && lastHeartbeat !== undefined;
    return [{ _id, model, enabled: device.enabled === true, reachable }];
  });
}

/** This response has no envelope. */
export function readHeartbeatAnswer(answer: unknown): HeartbeatResult {
  const fields = isRecord(answer) ? answer : {};
  return {
    success: fields.success === true,
    pendingCount: typeof fields.pendingCount === 'number' ? fields.pendingCount : 0,
  };
}

export function readPendingCommands(answer: unknown): SmsCommand[] {
  const list = dataIn(answer);
  if (!Array.isArray(list)) return [];
  return list.map(readSmsCommand).filter((command) => command !== undefined);
}

export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function dataIn(answer: unknown): unknown {
  return isRecord(answer) ? answer.data : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
