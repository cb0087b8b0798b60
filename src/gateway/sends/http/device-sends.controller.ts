import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { PhoneKeyAllowed, TakesNoTurn } from '../../../auth/http/route-access.decorators';
import { ValidationFailed } from '../../../common/errors';
import { ParseIdPipe } from '../../../common/http/requests/id.pipe';
import { IdempotencyKey } from '../../../common/http/requests/idempotency-key';
import type { PlatformResponse } from '../../../common/http/connections/raw-http';
import { ApiEndpoint } from '../../../common/http/openapi-decorators';
import { ApiDeviceSend } from './send.openapi';
import { SendBulkSmsRequest, SendSmsRequest } from './send.request';
import { respondToSend, SendResponse } from './send.response';
import type { SendInput } from '../../send-input/send-input';
import { SendService } from '../send.service';

/** Sends from the device in the path, used by the app's compose screen and older integrations; answers 201. */
@ApiTags('Sending')
@Controller('gateway/devices/:id')
export class DeviceSendsController {
  constructor(private readonly sends: SendService) {}

  @PhoneKeyAllowed()
  @TakesNoTurn('small')
  @Post(['send-sms', 'sendSMS'])
  @ApiEndpoint(
    'sendSmsFromDevice',
    'Send a message from this device',
    'Same as send-sms, with the device in the path.',
  )
  @ApiDeviceSend(SendSmsRequest)
  async sendSms(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: SendSmsRequest,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<SendResponse> {
    const input = withDevice(id, body.toSendInput());
    return respondToSend(await this.sends.send(account, input, key), response);
  }

  @PhoneKeyAllowed()
  @TakesNoTurn('small')
  @Post('send-bulk-sms')
  @ApiEndpoint(
    'sendBulkSmsFromDevice',
    'Send several messages from this device',
    'Same as send-bulk-sms, with the device in the path.',
  )
  @ApiDeviceSend(SendBulkSmsRequest)
  async sendBulkSms(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: SendBulkSmsRequest,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ) {
    const input = withDevice(id, body.toSendInput());
    return respondToSend(await this.sends.send(account, input, key), response);
  }
}

function withDevice(device: Types.ObjectId, input: SendInput): SendInput {
  const deviceId = device.toHexString();
  if (input.deviceId !== undefined && input.deviceId.toLowerCase() !== deviceId)
    throw ValidationFailed.of('deviceId', 'must be omitted or be the id of the device in the path');
  return { ...input, deviceId };
}
