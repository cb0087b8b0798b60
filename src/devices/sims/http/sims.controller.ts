import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import {
  ApiData,
  ApiDataList,
  ApiEndpoint,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import { mapInSlices } from '../../../common/slices';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import { SimPatchRequest } from './sim.request';
import { AccountSimResponse, toAccountSimResponse } from './sim.response';
import { SimNotFound } from '../sims.errors';
import { SimsService } from '../sims.service';

@ApiTags('SIMs and pools')
@Controller('gateway/sims')
export class SimsController {
  constructor(private readonly sims: SimsService) {}

  @Get()
  @ApiEndpoint(
    'listSims',
    'List the SIMs of the account',
    'By device and slot, with limits and usage. A device that reports no SIMs has one of its own.',
  )
  @ApiDataList(AccountSimResponse, 'The SIMs of the account, also those that are in no phone now')
  async list(@CurrentAccount() account: AccountScope): Promise<AccountSimResponse[]> {
    return mapInSlices(await this.sims.list(account), toAccountSimResponse);
  }

  @Get(':id')
  @ApiEndpoint('getSim', 'Read a SIM', 'Returns the SIM with its limits, and what is used of them.')
  @ApiData(AccountSimResponse, 'The SIM')
  @ApiErrors(SimNotFound)
  async get(
    @CurrentAccount() account: AccountScope,
    @PathId('SIM id') id: Types.ObjectId,
  ): Promise<AccountSimResponse> {
    return toAccountSimResponse(await this.sims.get(account, id));
  }

  @Patch(':id')
  @ApiEndpoint(
    'updateSim',
    'Update a SIM',
    'Updates only the fields sent; null removes a label, a number or a limit. A limit counts from the time it is set. Messages that wait for the SIM are decided on again within seconds.',
  )
  @ApiJsonBody(SimPatchRequest)
  @ApiData(AccountSimResponse, 'The updated SIM')
  @ApiFieldError('limits.messagesPerDay', 'must not be less than 1')
  @ApiErrors(SimNotFound)
  async update(
    @CurrentAccount() account: AccountScope,
    @PathId('SIM id') id: Types.ObjectId,
    @Body() body: SimPatchRequest,
  ): Promise<AccountSimResponse> {
    return toAccountSimResponse(await this.sims.update(account, id, body));
  }
}
