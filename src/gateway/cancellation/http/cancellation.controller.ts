import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import { ApiEndpoint, ApiData, ApiErrors } from '../../../common/http/openapi-decorators';
import { DeviceNotFound } from '../../../devices/store/devices.errors';
import { BatchChanging, BatchNotFound, MessageNotFound } from '../../../messages/messages.errors';
import { CancelResponse } from './cancel.response';
import { CancellationService } from '../cancellation.service';

@Controller('gateway')
export class CancellationController {
  constructor(private readonly cancellation: CancellationService) {}

  @Post('messages/:id/cancel')
  @ApiTags('Messages')
  @ApiEndpoint(
    'cancelMessage',
    'Cancel a message that is not sent yet',
    'Same as for a batch, for one of its messages. Idempotent.',
  )
  @ApiData(CancelResponse, 'Whether the message is cancelled')
  @ApiErrors(MessageNotFound, BatchChanging)
  @HttpCode(200)
  async cancelMessage(
    @CurrentAccount() account: AccountScope,
    @PathId('Message id') message: Types.ObjectId,
  ): Promise<CancelResponse> {
    return { success: true, ...(await this.cancellation.cancelMessage(account, message)) };
  }

  @Post('devices/:id/sms-batch/:smsBatchId/cancel')
  @ApiTags('Batches')
  @ApiEndpoint(
    'cancelBatch',
    'Cancel the messages of a batch that are not sent yet',
    'Messages that were not handed over yet fail with the code CANCELLED and no longer count towards the plan. A phone that registered with supportsCancel is asked not to send those it has not acknowledged, and one with the app SMS Gateway for Android those it has not sent; they are cancelled once it confirms. Idempotent.',
  )
  @ApiData(CancelResponse, 'The number of cancelled messages')
  @ApiErrors(DeviceNotFound, BatchNotFound, BatchChanging)
  @HttpCode(200)
  async cancel(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') device: Types.ObjectId,
    @PathId('Batch id, from the response to the send', 'smsBatchId') batch: Types.ObjectId,
  ) {
    return { success: true, ...(await this.cancellation.cancelBatch(account, device, batch)) };
  }
}
