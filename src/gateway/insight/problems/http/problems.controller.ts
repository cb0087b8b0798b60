import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AccountScope, CurrentAccount } from '../../../../auth/account-scope';
import { ApiDataList, ApiEndpoint } from '../../../../common/http/openapi-decorators';
import { ProblemResponse, toProblemResponse } from './problem.response';
import { ProblemsService } from '../problems.service';

@ApiTags('Phones')
@Controller('gateway/problems')
export class ProblemsController {
  constructor(private readonly problems: ProblemsService) {}

  @Get()
  @ApiEndpoint(
    'listProblems',
    'List what is wrong now',
    'Lists the problems of the account, its phones, SIMs, pools and webhooks, errors first, each with its remedy. Derived from what is stored; nothing has to be acknowledged.',
  )
  @ApiDataList(ProblemResponse, 'The problems; an empty list if nothing is wrong')
  async list(@CurrentAccount() account: AccountScope): Promise<ProblemResponse[]> {
    return (await this.problems.list(account)).map(toProblemResponse);
  }
}
