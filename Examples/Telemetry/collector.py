#!/usr/bin/env python3
"""A collector of OTLP over HTTP in JSON, which prints the spans and metrics that it receives. collector.py PORT

Each message is parsed with the definitions of the protocol (PyPI opentelemetry-proto), so that a wrong member is refused.
"""
import http.server, json, sys

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

MESSAGES = {"/v1/traces": ExportTraceServiceRequest, "/v1/metrics": ExportMetricsServiceRequest}


def text(attributes):
    values = {item["key"]: next(iter(item["value"].values())) for item in attributes}
    return "".join(f"\n    {name} = {values[name]}" for name in sorted(values))


def show_spans(spans):
    for span in sorted(spans, key=lambda span: int(span["startTimeUnixNano"])):
        milliseconds = (int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])) / 1e6
        parent = span.get("parentSpanId", "none")
        print(f"span {span['name']}: {milliseconds:.1f} ms, id {span['spanId']}, parent {parent}{text(span['attributes'])}")


def show_metrics(metrics):
    for metric in metrics:
        for point in metric.get("histogram", metric.get("sum"))["dataPoints"]:
            value = f"count {point['count']}, sum {point['sum']}" if "count" in point else point["asDouble"]
            print(f"metric {metric['name']} ({metric['unit']}): {value}{text(point['attributes'])}")


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        content = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            json_format.Parse(content, MESSAGES[self.path]())
        except (KeyError, json_format.ParseError) as error:
            self.send_error(400, str(error).splitlines()[0])
            return
        for resource in (body := json.loads(content)).get("resourceSpans", []) + body.get("resourceMetrics", []):
            for scope in resource.get("scopeSpans", []):
                show_spans(scope["spans"])
            for scope in resource.get("scopeMetrics", []):
                show_metrics(scope["metrics"])
        sys.stdout.flush()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *arguments):
        pass


http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Collector).serve_forever()
