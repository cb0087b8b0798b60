import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ReceiveResult } from '../incoming-sms.service';
import type { HeartbeatResult } from '../phone.service';

class PhoneConfigResponse {
  @ApiProperty({ description: 'Whether to report heartbeats' })
  heartbeatEnabled!: boolean;

  @ApiProperty({ description: 'Minutes between heartbeats', example: 30 })
  heartbeatIntervalMinutes!: number;
}

/** Has no envelope, because released apps read the fields at the top level. */
export class HeartbeatResponse {
  @ApiProperty({ enum: [true], description: 'Always true' })
  success!: boolean;

  @ApiProperty({ description: 'Whether the heartbeat changed the push token' })
  fcmTokenUpdated!: boolean;

  @ApiProperty({ description: 'When the heartbeat arrived, in epoch milliseconds', example: 1767225600000 })
  lastHeartbeat!: number;

  @ApiPropertyOptional({ description: 'Label of the device', example: 'Office phone' })
  name?: string;

  @ApiProperty({
    description: 'Messages that can be fetched again now, because they were not acknowledged',
    example: 0,
  })
  pendingCount!: number;

  @ApiProperty({ description: 'Settings for the phone to apply' })
  config!: PhoneConfigResponse;
}

export function toHeartbeatResponse({
  device,
  fcmTokenUpdated,
  pendingCount,
}: HeartbeatResult): HeartbeatResponse {
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

export class ReceptionResponse {
  @ApiProperty({ description: 'True if the upload is invalid and was not stored; do not repeat it' })
  ignored!: boolean;

  @ApiPropertyOptional({ description: 'Why it was ignored', example: 'The message has no text' })
  reason?: string;

  @ApiPropertyOptional({ description: 'Id of the stored message', example: '665f1c2ab7e1d4a9c0f3e812' })
  _id?: string;
}

export class AcknowledgeResponse {
  @ApiProperty({ description: 'The number of ids that are messages of the device', example: 1 })
  acknowledged!: number;
}

export class CancelledMessagesResponse {
  @ApiProperty({ description: 'The number of messages that were cancelled', example: 1 })
  cancelled!: number;
}

export function toReceptionResponse(reception: ReceiveResult): ReceptionResponse {
  return reception.ignored
    ? { ignored: true, reason: reception.reason }
    : { ignored: false, _id: reception.id.toHexString() };
}
