import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../../../auth/account-scope';
import { ApiData, ApiEndpoint, ApiErrors, ApiJsonBody } from '../../../../common/http/openapi-decorators';
import { NoEnabledDevice } from '../../../../devices/store/devices.errors';
import { toSkippedFields } from '../../../sends/http/send.response';
import { ApiSendErrors } from '../../../sends/http/send.openapi';
import { PoolNotFound } from '../../../senders/pool.errors';
import { NoEnabledSim } from '../../../send-input/send.errors';
import { EstimateRequest } from './estimate.request';
import { EstimateResponse } from './estimate.response';
import { EstimateService } from '../estimate.service';

@ApiTags('Sending')
@Controller('gateway/estimates')
export class EstimatesController {
  constructor(private readonly estimates: EstimateService) {}

  @Post()
  @HttpCode(200)
  @ApiEndpoint(
    'estimateSend',
    'Estimate a send',
    'Takes the body of send-sms or send-bulk-sms, checks it in the same way, and returns its size and when it would be completed. Nothing is sent, stored or reserved.',
  )
  @ApiJsonBody(EstimateRequest)
  @ApiData(EstimateResponse, 'The estimate')
  @ApiErrors(NoEnabledDevice, PoolNotFound, NoEnabledSim)
  @ApiSendErrors()
  async estimate(
    @CurrentAccount() account: AccountScope,
    @Body() body: EstimateRequest,
  ): Promise<EstimateResponse> {
    const { sims, skipped, ...estimate } = await this.estimates.estimate(account, body.toSendInput());
    return {
      ...estimate,
      sims: sims.map((share) => ({ ...share, sim: share.sim.toHexString() })),
      ...toSkippedFields(skipped),
    };
  }
}
