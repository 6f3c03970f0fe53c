import { Page } from "@/shell/page";

export function Settings() {
  return <Page title="Settings">{null}</Page>;
}
