import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { TakesNoTurn } from '../../../auth/http/route-access.decorators';
import { IdempotencyKey } from '../../../common/http/requests/idempotency-key';
import type { PlatformResponse } from '../../../common/http/connections/raw-http';
import { ApiEndpoint } from '../../../common/http/openapi-decorators';
import { ApiSend } from './send.openapi';
import { SendBulkSmsRequest, SendSmsRequest } from './send.request';
import { respondToSend, SendResponse } from './send.response';
import { SendService } from '../send.service';

@ApiTags('Sending')
@Controller('gateway')
export class SendsController {
  constructor(private readonly sends: SendService) {}

  @TakesNoTurn('small')
  @Post('send-sms')
  @ApiEndpoint(
    'sendSms',
    'Send a message',
    'Sends one text to one or more recipients; each recipient counts as one message of the plan. The response means that the send is accepted: follow it with the batch id.',
  )
  @ApiSend(SendSmsRequest)
  @HttpCode(200)
  async sendSms(
    @CurrentAccount() account: AccountScope,
    @Body() body: SendSmsRequest,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): Promise<SendResponse> {
    return respondToSend(await this.sends.send(account, body.toSendInput(), key), response);
  }

  @TakesNoTurn('small')
  @Post('send-bulk-sms')
  @ApiEndpoint(
    'sendBulkSms',
    'Send several messages',
    'Each entry has its own text, recipients, SIM and time; all entries are one batch.',
  )
  @ApiSend(SendBulkSmsRequest)
  @HttpCode(200)
  async sendBulkSms(
    @CurrentAccount() account: AccountScope,
    @Body() body: SendBulkSmsRequest,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ) {
    return respondToSend(await this.sends.send(account, body.toSendInput(), key), response);
  }
}
