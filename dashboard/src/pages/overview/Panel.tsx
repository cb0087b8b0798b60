import { Anchor, Card, Group, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A part of the page with its heading, and a link to the page that has the whole of it. */
export function Panel(props: {
  readonly title: string;
  readonly more?: {
    readonly to: '/campaigns' | '/messages' | '/phones' | '/account';
    readonly label: string;
  };
  readonly search?: Readonly<Record<string, string>>;
  readonly children: ReactNode;
}) {
  const { title, more, search, children } = props;
  return (
    <Card component="section" aria-label={title} h="100%">
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2}>{title}</Title>
        {more && (
          <Anchor renderRoot={(root) => <Link to={more.to} search={search ?? {}} {...root} />} size="sm">
            {more.label}
          </Anchor>
        )}
      </Group>
      {children}
    </Card>
  );
}
