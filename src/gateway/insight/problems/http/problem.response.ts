import { ApiProperty } from '@nestjs/swagger';
import { OptionalCount, OptionalId, OptionalTime } from '../../../../common/http/responses/fields';
import { SEVERITIES, type Severity, SUBJECT_TYPES } from '../../../../devices/problems/problem';
import { type AccountProblem, PROBLEM_CODES, type ProblemCode } from '../problems';

class ProblemSubjectResponse {
  @ApiProperty({
    enum: SUBJECT_TYPES,
    enumName: 'ProblemSubjectType',
    description: 'What it is',
    example: 'device',
  })
  type!: (typeof SUBJECT_TYPES)[number];

  @OptionalId('Its id; absent if the problem is about the service')
  id?: string;

  @ApiProperty({ description: 'Its name', example: 'Front desk' })
  name!: string;
}

export class ProblemResponse {
  @ApiProperty({
    enum: PROBLEM_CODES,
    enumName: 'ProblemCode',
    description: 'What is wrong, for programs',
    example: 'phone_offline',
  })
  code!: ProblemCode;

  @ApiProperty({
    enum: SEVERITIES,
    enumName: 'ProblemSeverity',
    description:
      'error: something does not work; warning: it may soon stop working, or works less well than it could; ' +
      'info: it is as its owner has set it, such as a limit that is reached, and nothing needs repair',
    example: 'error',
  })
  severity!: Severity;

  @OptionalTime('Since when; absent if it is not known')
  since?: Date;

  @OptionalTime('When it ends by itself; absent if it does not')
  until?: Date;

  @ApiProperty({ description: 'What the problem is about' })
  subject!: ProblemSubjectResponse;

  @OptionalCount(
    'Messages that wait for a phone that is offline or unresponsive; beyond 10,000 not all are counted',
    12,
  )
  waitingMessages?: number;

  @ApiProperty({
    description: 'What is wrong, for people; may change',
    example: 'Front desk cannot be reached. 12 messages wait for it.',
  })
  text!: string;

  @ApiProperty({
    description: 'What to do, for people; may change',
    example: 'Check that it is switched on and has a connection to the internet, and open the app.',
  })
  remedy!: string;
}

export const toProblemResponse = ({ subject, ...problem }: AccountProblem): ProblemResponse => ({
  ...problem,
  subject: { type: subject.type, ...(subject.id && { id: subject.id.toHexString() }), name: subject.name },
});
