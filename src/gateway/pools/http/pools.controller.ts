import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import {
  ApiData,
  ApiSuccess,
  ApiDataList,
  ApiEndpoint,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import { PoolDeletionQuery, PoolPatchRequest, PoolRequest, PoolSimulationRequest } from './pool.request';
import {
  PoolResponse,
  PoolSimulationResponse,
  toPoolResponse,
  toPoolSimulationResponse,
} from './pool.response';
import { PoolSimulationService } from '../pool-simulation.service';
import { PoolHasMessages, PoolLimitReached, PoolNotFound } from '../../senders/pool.errors';
import { PoolsService } from '../pools.service';

@ApiTags('SIMs and pools')
@Controller('gateway/pools')
export class PoolsController {
  constructor(
    private readonly pools: PoolsService,
    private readonly simulations: PoolSimulationService,
  ) {}

  @Get()
  @ApiEndpoint(
    'listPools',
    'List the pools of the account',
    'A pool is a named set of SIMs that send as one.',
  )
  @ApiDataList(PoolResponse, 'The pools by name')
  async list(@CurrentAccount() account: AccountScope): Promise<PoolResponse[]> {
    return (await this.pools.list(account)).map(toPoolResponse);
  }

  @Post()
  @ApiEndpoint(
    'createPool',
    'Create a pool',
    'Sends that name the pool go out from one of its SIMs, chosen for each message.',
  )
  @ApiJsonBody(PoolRequest)
  @ApiData(PoolResponse, 'The pool', { status: 201 })
  @ApiFieldError('sims.0', 'is not a SIM of the account')
  @ApiErrors(PoolLimitReached)
  async create(@CurrentAccount() account: AccountScope, @Body() body: PoolRequest) {
    return toPoolResponse(await this.pools.create(account, body));
  }

  @Get(':id')
  @ApiEndpoint('getPool', 'Read a pool', 'Returns the pool with its SIMs and country rules.')
  @ApiData(PoolResponse, 'The pool')
  @ApiErrors(PoolNotFound)
  async get(@CurrentAccount() account: AccountScope, @PathId('Pool id') id: Types.ObjectId) {
    return toPoolResponse(await this.pools.get(account, id));
  }

  @Patch(':id')
  @ApiEndpoint(
    'updatePool',
    'Update a pool',
    'Updates only the fields sent. Waiting messages of a SIM that leaves the pool move to another one when they are due.',
  )
  @ApiJsonBody(PoolPatchRequest)
  @ApiData(PoolResponse, 'The updated pool')
  @ApiFieldError('countries.+49.0', 'is not in sims')
  @ApiErrors(PoolNotFound)
  async update(
    @CurrentAccount() account: AccountScope,
    @PathId('Pool id') id: Types.ObjectId,
    @Body() body: PoolPatchRequest,
  ) {
    return toPoolResponse(await this.pools.update(account, id, body));
  }

  @Delete(':id')
  @ApiEndpoint(
    'deletePool',
    'Delete a pool',
    'Its SIMs stay. If messages wait in it, pending says what becomes of them.',
  )
  @ApiSuccess('The pool is deleted')
  @ApiErrors(PoolNotFound)
  @ApiError(new PoolHasMessages(12, false))
  async remove(
    @CurrentAccount() account: AccountScope,
    @PathId('Pool id') id: Types.ObjectId,
    @Query() { pending }: PoolDeletionQuery,
  ): Promise<void> {
    await this.pools.remove(account, id, pending === 'keep');
  }

  @Post(':id/simulate')
  @HttpCode(200)
  @ApiEndpoint(
    'simulatePool',
    'Simulate the choice of a SIM',
    'Says which SIM of the pool would send a message of one part to the recipient now and why, and why the others cannot. Nothing is sent or stored.',
  )
  @ApiJsonBody(PoolSimulationRequest)
  @ApiData(PoolSimulationResponse, 'The choice')
  @ApiFieldError('recipient', 'must be a phone number: 3 to 15 digits, with or without a leading +')
  @ApiErrors(PoolNotFound)
  async simulate(
    @CurrentAccount() account: AccountScope,
    @PathId('Pool id') id: Types.ObjectId,
    @Body() { recipient }: PoolSimulationRequest,
  ) {
    return toPoolSimulationResponse(await this.simulations.simulate(account, id, recipient));
  }
}
