import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, OptionalCount, OptionalId, OptionalTime, Time } from '../../common/http/responses/fields';
import { WAIT_REASONS, type WaitReason } from '../../devices/states/wait-reasons';
import {
  type Direction,
  DIRECTIONS,
  PRIORITIES,
  type Priority,
  REPAIRED_FIELDS,
  type RepairedField,
  type WaitingFor,
} from '../message.schema';
import { failureText } from '../failure-text';
import { LATER_STATUSES, type LaterReport, type LaterStatus } from '../later-reports';
import { MESSAGE_STATUSES, type MessageStatus } from '../message-status';
import { MessageView } from '../messages.service';
import { type Encoding, ENCODINGS, sizeOfMessage } from '../text/segments';

class MessageDevice {
  @Id('Device id')
  _id!: string;

  @ApiProperty({ description: 'Whether the device may send and receive SMS' })
  enabled!: boolean;

  @ApiPropertyOptional({ description: "Owner's label", example: 'Front desk' })
  name?: string;

  @ApiProperty({ description: 'Device brand', example: 'google' })
  brand!: string;

  @ApiProperty({ description: 'Device model', example: 'Pixel 8' })
  model!: string;

  @ApiProperty({ description: 'Android build id', example: 'AP2A.240805.005' })
  buildId!: string;

  @OptionalTime('When it was deleted')
  deletedAt?: Date;
}

class MessageWait implements WaitingFor {
  @ApiProperty({ enum: WAIT_REASONS, description: 'What it waits for', example: 'messages_per_day' })
  reason!: WaitReason;

  @OptionalTime('When it can leave, by what is known; absent if that is not known')
  until?: Date;
}

class MessageLaterReport implements LaterReport {
  @ApiProperty({ enum: LATER_STATUSES, description: 'What the phone reported', example: 'failed' })
  status!: LaterStatus;

  @Time('When it reported that')
  at!: Date;

  @ApiPropertyOptional({ description: 'Failure code', example: '1' })
  errorCode?: string;
}

export class MessageResponse {
  @Id('Message id')
  _id!: string;

  @ApiPropertyOptional({ description: 'Text; empty when it is end-to-end encrypted', example: 'Hello' })
  message?: string;

  @ApiProperty({ description: 'Device that sent or received it' })
  device!: MessageDevice;

  @ApiProperty({
    enum: ['SENT', 'RECEIVED'],
    deprecated: true,
    description: 'Use direction',
    example: 'SENT',
  })
  type!: 'SENT' | 'RECEIVED';

  @ApiProperty({ enum: DIRECTIONS, description: 'Whether the account sent or received it', example: 'sent' })
  direction!: Direction;

  @ApiPropertyOptional({
    enum: MESSAGE_STATUSES,
    example: 'delivered',
    description:
      'Delivery status; received on incoming messages; absent (unknown) on messages stored before status tracking',
  })
  status?: MessageStatus;

  @ApiPropertyOptional({ description: 'Sender number; on received messages', example: '+447700900123' })
  sender?: string;

  @ApiPropertyOptional({ description: 'Destination; on sent messages', example: '+447700900123' })
  recipient?: string;

  @ApiPropertyOptional({ description: 'Batch the message was sent in', example: '665f1c2ab7e1d4a9c0f3e812' })
  smsBatch?: string;

  @ApiPropertyOptional({ description: 'Whether the text is end-to-end encrypted' })
  encrypted?: boolean;

  @ApiPropertyOptional({
    description: "The encrypted text, for the owner's own client",
    example: 'v1:kJ2m0Q9xWb7t4nZs8eYh3A==',
  })
  encryptedMessage?: string;

  @OptionalCount('Number of SMS parts of the text; absent if it is end-to-end encrypted', 1)
  segments?: number;

  @ApiPropertyOptional({
    enum: ENCODINGS,
    description: 'Encoding of the text in an SMS; absent if it is end-to-end encrypted',
    example: 'GSM-7',
  })
  encoding?: Encoding;

  @ApiPropertyOptional({ description: 'SIM the message was sent from', example: 1 })
  simSubscriptionId?: number;

  @OptionalId('Id of the SIM that hands it out; absent if the phone chooses')
  sim?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Id of the pool whose SIMs may send it; absent if it is for one device',
    example: '665f1c2ab7e1d4a9c0f3e830',
  })
  pool?: string;

  @ApiPropertyOptional({ description: 'Why it waits on the server; on pending messages' })
  waitingFor?: MessageWait;

  @ApiPropertyOptional({ enum: PRIORITIES, description: 'Absent: normal', example: 'urgent' })
  priority?: Priority;

  @OptionalTime('It is not handed to a phone at or after this time, and fails with the code EXPIRED')
  validUntil?: Date;

  @OptionalTime('When the phone received it; on received messages')
  receivedAt?: Date;

  @OptionalTime('When the send was requested; on sent messages')
  requestedAt?: Date;

  @OptionalTime('When it was or is due to be handed to a phone; absent if it was due at once')
  dispatchDueAt?: Date;

  @OptionalTime(
    'When it was handed over: the push service accepted it, or may have, or the phone took it from its stream or by fetching',
  )
  dispatchedAt?: Date;

  @ApiPropertyOptional({ description: 'Number of push attempts', example: 1 })
  dispatchAttempts?: number;

  @OptionalTime('When the device received the push; absent for app versions that do not report it')
  pushReceivedAt?: Date;

  @OptionalTime('When the device handed it to the radio')
  sendAttemptedAt?: Date;

  @OptionalTime('When the device reported it as sent')
  sentAt?: Date;

  @OptionalTime('When the carrier confirmed delivery')
  deliveredAt?: Date;

  @OptionalTime('When it failed')
  failedAt?: Date;

  @ApiPropertyOptional({ description: 'Failure code', example: '4' })
  errorCode?: string;

  @ApiPropertyOptional({
    description:
      'Failure reason reported by the phone, or a description of the failure code with a suggested fix; after laterReports, what they change about it',
    example: 'The phone has no service. Move it to where it has signal and send again.',
  })
  errorMessage?: string;

  @ApiPropertyOptional({
    type: [MessageLaterReport],
    description:
      'What the phone reported after the final status that contradicts it, such as on another part of a long text; the status does not change',
  })
  laterReports?: readonly MessageLaterReport[];

  @ApiPropertyOptional({ description: 'True if it is a text of a loop test' })
  isLoopTest?: boolean;

  @ApiPropertyOptional({
    description: 'True if it arrived while the account was over its plan limit; on received messages',
  })
  overLimit?: boolean;

  @ApiPropertyOptional({
    description: 'True if the stored sender or text was shortened; on received messages',
  })
  truncated?: boolean;

  @ApiPropertyOptional({
    enum: REPAIRED_FIELDS,
    isArray: true,
    description:
      'The fields that the phone did not send as documented: an absent sender is stored as unknown, a number as text, and the time of the upload replaces a receivedAt that cannot be right; on received messages',
    example: ['sender'],
  })
  repairedFields?: readonly RepairedField[];

  @OptionalTime('Upload time of a received message that was uploaded more than 24 hours late')
  originalCreatedAt?: Date;

  @Time('When the record was stored; the reception time of a message uploaded more than 24 hours late')
  createdAt!: Date;

  @Time('When the record was last updated')
  updatedAt!: Date;
}

export function toMessageResponse({ message, device }: MessageView): MessageResponse {
  return {
    _id: message._id.toHexString(),
    message: message.encrypted ? '' : message.message,
    device: {
      _id: device._id.toHexString(),
      enabled: device.enabled,
      name: device.name,
      brand: device.brand,
      model: device.model,
      buildId: device.buildId,
      deletedAt: device.deletedAt,
    },
    type: message.direction === 'sent' ? 'SENT' : 'RECEIVED',
    direction: message.direction,
    status: message.status,
    sender: message.sender,
    recipient: message.recipient,
    smsBatch: message.smsBatch?.toHexString(),
    encrypted: message.encrypted,
    encryptedMessage: message.encryptedMessage,
    ...sizeOfMessage(message),
    simSubscriptionId: message.simSubscriptionId,
    sim: message.sim?.toHexString(),
    pool: message.pool?.toHexString(),
    ...(message.status === 'pending' && message.waitingFor && { waitingFor: message.waitingFor }),
    priority: message.priority,
    validUntil: message.validUntil,
    receivedAt: message.receivedAt,
    requestedAt: message.requestedAt,
    dispatchDueAt: message.dispatchDueAt,
    dispatchedAt: message.dispatchedAt,
    dispatchAttempts: message.dispatchAttempts,
    pushReceivedAt: message.pushReceivedAt,
    sendAttemptedAt: message.sendAttemptedAt,
    sentAt: message.sentAt,
    deliveredAt: message.deliveredAt,
    failedAt: message.failedAt,
    errorCode: message.errorCode,
    errorMessage: failureText(message),
    laterReports: message.laterReports,
    isLoopTest: message.isLoopTest,
    overLimit: message.overLimit,
    truncated: message.truncated,
    repairedFields: message.repairedFields,
    originalCreatedAt: message.originalCreatedAt,
    createdAt: message.createdAt,
    updatedAt: message.updatedAt,
  };
}
