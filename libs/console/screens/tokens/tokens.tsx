import { PageHead } from '../../parts/page';

export default function Tokens() {
  return <PageHead title="Tokens" />;
}
