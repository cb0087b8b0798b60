import { Alert, Text } from '@mantine/core';
import { IconAlertOctagon, IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ProblemResponse } from '../../generated';

export type Severity = ProblemResponse['severity'];

const LOOKS = {
  error: { color: 'red', icon: IconAlertOctagon },
  warning: { color: 'yellow', icon: IconAlertTriangle },
  info: { color: 'gray', icon: IconInfoCircle },
} as const;

/** What is the case, as loud as it is severe. */
export function SeverityAlert(props: {
  readonly severity: Severity;
  readonly title: ReactNode;
  readonly children: ReactNode;
}) {
  const { color, icon: Icon } = LOOKS[props.severity];
  return (
    <Alert
      color={color}
      icon={<Icon aria-hidden />}
      title={
        <Text inherit span className="outside-text" lineClamp={5}>
          {props.title}
        </Text>
      }
    >
      {props.children}
    </Alert>
  );
}
