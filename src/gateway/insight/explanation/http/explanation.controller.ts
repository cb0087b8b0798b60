import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../../auth/account-scope';
import { ApiData, ApiEndpoint, ApiErrors } from '../../../../common/http/openapi-decorators';
import { PathId } from '../../../../common/http/requests/path-id.decorator';
import { MessageNotFound } from '../../../../messages/messages.errors';
import { ExplanationResponse, toExplanationResponse } from './explanation.response';
import { ExplanationService } from '../explanation.service';

@ApiTags('Messages')
@Controller('gateway/messages/:id/explanation')
export class ExplanationController {
  constructor(private readonly explanations: ExplanationService) {}

  @Get()
  @ApiEndpoint(
    'explainMessage',
    'Explain what became of a message',
    'Tells in sentences why it went out from this SIM, what it waits or waited for, what each attempt came to, what the phone reported and which webhooks were told. Derived from what is stored; deleted messages have no explanation.',
  )
  @ApiData(ExplanationResponse, 'The explanation')
  @ApiErrors(MessageNotFound)
  async explain(
    @CurrentAccount() account: AccountScope,
    @PathId('Message id') id: Types.ObjectId,
  ): Promise<ExplanationResponse> {
    return toExplanationResponse(await this.explanations.explain(account, id));
  }
}
