import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { SentSample } from '../sample.service';

export class SampleResponse {
  @ApiProperty({ description: 'Whether the endpoint accepted it' })
  delivered!: boolean;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Exact JSON body posted' })
  payload!: Record<string, unknown>;

  @ApiProperty({ type: 'integer', description: 'How long it took, in milliseconds', example: 120 })
  durationMs!: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Status code of the response', example: 200 })
  httpStatusCode?: number;

  @ApiPropertyOptional({ description: 'First 1,000 characters of the response body' })
  responseBody?: string;

  @ApiPropertyOptional({ description: 'Why it was not accepted', example: 'The endpoint answered 500' })
  error?: string;
}

export function toSampleResponse({ payload, result }: SentSample): SampleResponse {
  const { outcome, durationMs } = result;
  return {
    delivered: outcome.kind === 'delivered',
    payload: { ...payload },
    durationMs,
    httpStatusCode: outcome.httpStatusCode,
    responseBody: outcome.responseBody,
    error: outcome.kind === 'delivered' ? undefined : outcome.error,
  };
}
