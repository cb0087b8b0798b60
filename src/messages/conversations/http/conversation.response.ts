import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Count, Id, listMeta, OptionalId, Time } from '../../../common/http/responses/fields';
import { type Direction, DIRECTIONS } from '../../message.schema';
import { MESSAGE_STATUSES, type MessageStatus } from '../../message-status';
import type { ConversationView } from '../conversations.service';

class ConversationMessage {
  @Id('Message id')
  _id!: string;

  @ApiProperty({
    enum: DIRECTIONS,
    description: 'Whether the account sent or received it',
    example: 'received',
  })
  direction!: Direction;

  @ApiProperty({
    description: 'The first 160 characters of its text; empty when it is end-to-end encrypted',
    example: 'Where is my order?',
  })
  message!: string;

  @ApiPropertyOptional({ description: 'Whether the text is end-to-end encrypted' })
  encrypted?: boolean;

  @ApiPropertyOptional({
    enum: MESSAGE_STATUSES,
    description: 'Delivery status; absent (unknown) on messages stored before status tracking',
    example: 'received',
  })
  status?: MessageStatus;

  @ApiPropertyOptional({ description: 'Failure code', example: '4' })
  errorCode?: string;

  @Id('Id of the device that sent or received it')
  device!: string;

  @OptionalId('Id of the SIM that hands it out; absent if the phone chooses')
  sim?: string;

  @ApiPropertyOptional({ description: 'Subscription id of its SIM', example: 1 })
  simSubscriptionId?: number;

  @Time('When it was stored')
  createdAt!: Date;
}

class ConversationContact {
  @Id('Contact id')
  _id!: string;

  @ApiProperty({ description: 'Name; empty if it has none', example: 'Ana Marín' })
  name!: string;
}

export class ConversationResponse {
  @ApiProperty({
    description: 'The number in comparable form: E.164 if it can be read, else as it was given',
    example: '+447700900123',
  })
  number!: string;

  @ApiProperty({ description: 'The newest message' })
  lastMessage!: ConversationMessage;

  @Count('Received messages that are not marked as read; 1,000 stands for 1,000 or more', 2)
  unreadCount!: number;

  @ApiProperty({ description: 'Whether the newest message is a received one' })
  unanswered!: boolean;

  @ApiPropertyOptional({ description: 'The contact that has the number' })
  contact?: ConversationContact;

  @ApiPropertyOptional({ description: 'Note of the account', example: 'Prefers to be called after five' })
  note?: string;
}

export class ConversationListMetaResponse extends listMeta(
  'conversations',
  50,
  '. A page may have fewer than limit although there are',
) {}

export function toConversationResponse(view: ConversationView): ConversationResponse {
  const { number, note, contact, lastMessage, unreadCount } = view;
  return {
    number,
    lastMessage: {
      _id: lastMessage._id.toHexString(),
      direction: lastMessage.direction,
      message: lastMessage.encrypted ? '' : lastMessage.message,
      encrypted: lastMessage.encrypted,
      status: lastMessage.status,
      errorCode: lastMessage.errorCode,
      device: lastMessage.device.toHexString(),
      sim: lastMessage.sim?.toHexString(),
      simSubscriptionId: lastMessage.simSubscriptionId,
      createdAt: lastMessage.createdAt,
    },
    unreadCount,
    contact: contact && { _id: contact._id.toHexString(), name: contact.name },
    unanswered: lastMessage.direction === 'received',
    note,
  };
}
