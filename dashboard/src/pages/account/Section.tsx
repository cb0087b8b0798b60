import { Card, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of the page with its heading. */
export function Section(props: {
  /** Where a link leads to. */
  readonly id?: string;
  readonly title: string;
  readonly text?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Card component="section" id={props.id} aria-label={props.title}>
      <Title order={2} mb={props.text ? 4 : 'sm'}>
        {props.title}
      </Title>
      {props.text && (
        <Text size="sm" c="dimmed" mb="sm">
          {props.text}
        </Text>
      )}
      {props.children}
    </Card>
  );
}
