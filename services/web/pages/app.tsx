import "./frame/style.css";
import { render } from "preact";
import { Shell } from "./frame/shell";
import { signIn } from "./frame/session";

void signIn();
render(<Shell />, document.body);
