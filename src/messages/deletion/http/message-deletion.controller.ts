import { Controller, Delete } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { ApiSuccess, ApiEndpoint, ApiErrors } from '../../../common/http/openapi-decorators';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import { MessageNotFound } from '../../messages.errors';
import { MessageUnsettled } from '../message-deletion.errors';
import { MessageDeletionService } from '../message-deletion.service';

@ApiTags('Messages')
@Controller('gateway/messages')
export class MessageDeletionController {
  constructor(private readonly deletion: MessageDeletionService) {}

  @Delete(':id')
  @ApiEndpoint(
    'deleteMessage',
    'Delete a message',
    'Removes its text and number at once and hides it from every list; events that are not yet relayed to webhooks are dropped; deliveries that exist keep their body and retries. Totals and plan usage do not change. Idempotent.',
  )
  @ApiSuccess('The message is deleted')
  @ApiErrors(MessageNotFound, MessageUnsettled)
  async delete(
    @CurrentAccount() account: AccountScope,
    @PathId('Message id') id: Types.ObjectId,
  ): Promise<void> {
    await this.deletion.delete(account, id);
  }
}
