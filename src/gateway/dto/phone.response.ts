import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Reception } from '../incoming.service';
import type { HeartbeatAnswer } from '../phone.service';

/** What the service wants of the phone. */
class PhoneConfigResponse {
  @ApiProperty({ type: Boolean, description: 'Whether to report heartbeats' })
  heartbeatEnabled!: boolean;

  @ApiProperty({ type: Number, description: 'Minutes between heartbeats', example: 30 })
  heartbeatIntervalMinutes!: number;
}

/** Read by phones without an envelope. */
export class HeartbeatResponse {
  @ApiProperty({ type: Boolean, enum: [true], description: 'Always true' })
  success!: boolean;

  @ApiProperty({ type: Boolean, description: 'Whether the heartbeat brought a new push token' })
  fcmTokenUpdated!: boolean;

  @ApiProperty({
    type: Number,
    description: 'Epoch milliseconds: old apps read a long',
    example: 1767225600000,
  })
  lastHeartbeat!: number;

  @ApiPropertyOptional({ type: String, description: 'Label of the device', example: 'Office phone' })
  name?: string;

  @ApiProperty({
    type: Number,
    description: 'Messages the phone was handed but has not acknowledged',
    example: 0,
  })
  pendingCount!: number;

  @ApiProperty({ type: PhoneConfigResponse, description: 'Settings for the phone to take over' })
  config!: PhoneConfigResponse;
}

export function toHeartbeatResponse({
  device,
  fcmTokenUpdated,
  pendingCount,
}: HeartbeatAnswer): HeartbeatResponse {
  return {
    success: true,
    fcmTokenUpdated,
    lastHeartbeat: device.lastHeartbeat?.getTime() ?? 0,
    name: device.name,
    pendingCount,
    config: {
      heartbeatEnabled: device.heartbeatEnabled,
      heartbeatIntervalMinutes: device.heartbeatIntervalMinutes,
    },
  };
}

/** What became of an upload. */
export class ReceptionResponse {
  @ApiProperty({
    type: Boolean,
    description: 'True when the upload can never be accepted; it need not be repeated',
  })
  ignored!: boolean;

  @ApiPropertyOptional({
    type: String,
    description: 'Why it was ignored',
    example: 'The message has no text',
  })
  reason?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'Id of the stored message',
    example: '665f1c2ab7e1d4a9c0f3e812',
  })
  _id?: string;
}

export class AcknowledgeResponse {
  @ApiProperty({ type: Number, description: "How many of the messages are the device's", example: 1 })
  acknowledged!: number;
}

export class CancelledMessagesResponse {
  @ApiProperty({ type: Number, description: 'How many of the messages were cancelled', example: 1 })
  cancelled!: number;
}

export function toReceptionResponse(reception: Reception): ReceptionResponse {
  return reception.ignored
    ? { ignored: true, reason: reception.reason }
    : { ignored: false, _id: reception.id.toHexString() };
}
