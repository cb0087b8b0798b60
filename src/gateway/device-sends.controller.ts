import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { PhoneKeyAllowed } from '../auth/phone-key-allowed';
import { ValidationFailed } from '../common/errors';
import { ParseIdPipe } from '../common/http/id.pipe';
import { IdempotencyKey } from '../common/http/idempotency-key';
import type { PlatformResponse } from '../common/http/raw-http';
import { ApiAction } from '../common/http/openapi-decorators';
import { ApiDeviceSend } from './dto/send.openapi';
import { SendBulkSmsRequest, SendSmsRequest } from './dto/send.request';
import { answerSend, SendResponse } from './dto/send.response';
import type { RawOrder } from './send-order';
import { SendService } from './send.service';

/** Sends from the device in the path, as the app's compose screen and older integrations make them; answered 201. */
@ApiTags('Phones')
@Controller('gateway/devices/:id')
export class DeviceSendsController {
  constructor(private readonly sends: SendService) {}

  @PhoneKeyAllowed()
  @Post(['send-sms', 'sendSMS'])
  @ApiAction(
    'sendSmsFromDevice',
    'Send a message from this device',
    'As send-sms, with the device in the path.',
  )
  @ApiDeviceSend(SendSmsRequest)
  async sendSms(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: SendSmsRequest,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<SendResponse> {
    const order = orderFrom(id, body.toOrder());
    return answerSend(await this.sends.send(account, order, key), response);
  }

  @PhoneKeyAllowed()
  @Post('send-bulk-sms')
  @ApiAction(
    'sendBulkSmsFromDevice',
    'Send several messages from this device',
    'As send-bulk-sms, with the device in the path.',
  )
  @ApiDeviceSend(SendBulkSmsRequest)
  async sendBulkSms(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: SendBulkSmsRequest,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<SendResponse> {
    const order = orderFrom(id, body.toOrder());
    return answerSend(await this.sends.send(account, order, key), response);
  }
}

/** @throws ValidationFailed where the body names another device than the path. */
function orderFrom(device: Types.ObjectId, order: RawOrder): RawOrder {
  const deviceId = device.toHexString();
  if (order.deviceId !== undefined && order.deviceId.toLowerCase() !== deviceId) {
    const message = 'deviceId must be the device in the path, or be left out';
    throw new ValidationFailed([{ field: 'deviceId', message }]);
  }
  return { ...order, deviceId };
}
