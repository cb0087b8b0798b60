import { Body, Controller, Get, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import {
  ApiData,
  ApiEndpoint,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import { LoopTestNotSetUp, LoopTestRunning } from '../loop-tests.errors';
import { LoopTestsService } from '../loop-tests.service';
import { LoopTestRequest } from './loop-test.request';
import { LoopTestResponse, toLoopTestResponse } from './loop-test.response';

@ApiTags('SIMs and pools')
@Controller('gateway/loop-tests')
export class LoopTestsController {
  constructor(private readonly tests: LoopTestsService) {}

  @Get()
  @ApiEndpoint(
    'getLoopTest',
    'Read the loop test and its last results',
    'A text from each of two SIMs to the other shows that both send and receive.',
  )
  @ApiData(LoopTestResponse, 'The loop test')
  async get(@CurrentAccount() account: AccountScope): Promise<LoopTestResponse> {
    return toLoopTestResponse(await this.tests.get(account));
  }

  @Put()
  @ApiEndpoint(
    'setLoopTest',
    'Choose the SIMs of the loop test, and whether it runs each night',
    'Replaces the settings. A number that is given is stored in its SIM.',
  )
  @ApiJsonBody(LoopTestRequest)
  @ApiData(LoopTestResponse, 'The loop test')
  @ApiFieldError('sims.0.phoneNumber', 'is needed: the phone does not tell the number of this SIM')
  async set(
    @CurrentAccount() account: AccountScope,
    @Body() body: LoopTestRequest,
  ): Promise<LoopTestResponse> {
    return toLoopTestResponse(await this.tests.setUp(account, body));
  }

  @Post('runs')
  @ApiEndpoint(
    'runLoopTest',
    'Run the loop test now',
    'Sends two messages, which count as all do and have isLoopTest. The results are known within ten minutes.',
  )
  @ApiData(LoopTestResponse, 'The loop test with its new run', { status: 201 })
  @ApiErrors(LoopTestNotSetUp, LoopTestRunning)
  async run(@CurrentAccount() account: AccountScope): Promise<LoopTestResponse> {
    return toLoopTestResponse(await this.tests.start(account));
  }
}
