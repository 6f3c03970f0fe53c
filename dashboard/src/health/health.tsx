import { useQuery } from "@tanstack/react-query";

import { statusQuery } from "@/api/ask";
import { Page } from "@/shell/page";
import { Plain } from "@/text/plain";

export function Health() {
  const { data: status, error } = useQuery(statusQuery);
  return (
    <Page title="Health" error={error}>
      {status && (
        <p>
          <Plain text={status.version} />
        </p>
      )}
    </Page>
  );
}
