import { Controller, Get, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { type AuthenticatedAccount, CurrentAccount } from '../../../auth/account-scope';
import { LimitsConcurrency } from '../../../auth/http/concurrency.interceptor';
import { ApiEndpoint } from '../../../common/http/openapi-decorators';
import type { PlatformResponse } from '../../../common/http/connections/raw-http';
import { LiveUpdateStreams } from './live-update-streams.service';

const STREAM_EXAMPLE =
  'event: ready\ndata: {"live":true}\n\nevent: message\ndata: {"ids":["665f1c2ab7e1d4a9c0f3e812"]}\n\nevent: batch\ndata: {"ids":[],"all":true}\n\n';

@ApiTags('Account')
@Controller('events')
export class LiveUpdatesController {
  constructor(private readonly streams: LiveUpdateStreams) {}

  @LimitsConcurrency('eventStreams', 20)
  @Get()
  @ApiEndpoint(
    'openEvents',
    'Open the event stream of the account',
    'Server-Sent Events that say what has changed, without the data: read it again. An event `message`, `batch`, `device`, `sim`, `pool`, `webhook` or `delivery` has the `ids` of what may have changed; with `all`, anything of its kind may have. The first event is `ready`; its `live` is false while the service cannot follow changes. Then, and after an event `degraded`, poll until the event `restored`. Missed events are not repeated: read again after each connection. A comment line every 15 seconds keeps the connection open.',
  )
  @ApiResponse({
    status: 200,
    description: 'The stream, open until either side closes it or the key or session ends',
    content: { 'text/event-stream': { schema: { type: 'string' }, example: STREAM_EXAMPLE } },
  })
  async open(
    @CurrentAccount() account: AuthenticatedAccount,
    @Res() response: PlatformResponse,
  ): Promise<void> {
    await this.streams.open(account, response);
  }
}
